import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import { testNetwork, TOKEN } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { readCandles, remakeCandles } from './candle-store.ts'
import { storeHubStates } from './hub-store.ts'
import * as followers from './market-follower-store.ts'
import { latestPrices } from './price-store.ts'
import { RATIO_DIGITS } from './price.ts'
import * as trades from './trade-store.ts'

const MINT = TOKEN as Address
const HUB = '0xhub' as Address
const NOW = 1_790_000_040_000
const LEASE_MILLISECONDS = 60_000
const HEIGHT = 100n
const ONE = 10n ** BigInt(RATIO_DIGITS)

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

/** Two networks with markets of the same addresses, in blocks of the same heights; on the other one everything costs ten times as much. */
let here: NetworkId
let there: NetworkId
let cursor: followers.MarketCursor
let serial = 0
beforeEach(async () => {
  serial += 2
  here = testNetwork(78_000 + serial).network
  there = testNetwork(78_001 + serial).network
  await open(there, 10n)
  cursor = await open(here, 1n)
})

async function open(network: NetworkId, price: bigint): Promise<followers.MarketCursor> {
  const first = { height: 1n, hash: `${network} 1` }
  await inService((tx) => followers.beginMarkets(tx, network, first))
  const blocks = [HEIGHT, HEIGHT + 1n].map((height) => ({ height, hash: `${network} ${height}` }))
  await inService((tx) => followers.storeMarketBlocks(tx, network, blocks))
  for (const height of [HEIGHT, HEIGHT + 1n]) {
    const place = {
      ...{ mint: MINT, market: '0xpool' as Address, venue: 'uniswap-v2' as const, height },
      ...{ transactionHash: `0x${height}` as TransactionHash, effectIndex: 0 },
      ...{ timeMilliseconds: NOW, blockHash: `${network} ${height}` },
    }
    const amounts = { nativeAmount: price * 10n, tokenAmount: 10n, price: price * ONE }
    const made = { side: 'buy' as const, trader: '0xtrader' as Address, ...amounts }
    await inService(async (tx) => {
      await trades.storeTrades(tx, network, [{ ...place, ...made, kind: 'trade' }])
      await trades.storePools(tx, network, [{ ...place, kind: 'opened', creator: null }])
      // The pool with the hub is the deeper one.
      await trades.storeReserves(tx, network, [
        { ...place, kind: 'reserves', native: price * 10n, token: 10n },
        { ...place, kind: 'reserves', mint: HUB, native: price * 1_000n, token: 1_000n },
      ])
      const shown = { hubAmount: price * 100n, tokenAmount: 100n, isHeld: true }
      await storeHubStates(tx, network, [{ ...place, kind: 'hub', hub: HUB, ...shown }])
    })
  }
  await inService((tx) => remakeCandles(tx, network, [{ mint: MINT, timeMilliseconds: NOW }]))
  const taken = await take(network, 'one')
  if (taken === undefined) throw new Error('no lease')
  return taken
}

const take = (network: NetworkId, owner: string) =>
  inService((tx) => followers.takeMarketLease(tx, network, owner, LEASE_MILLISECONDS))

/** All that is stored of a network's markets. */
const rowsOf = async (network: NetworkId) => {
  const rows: unknown[] = []
  for (const table of [
    'trades',
    'pools',
    'reserves',
    'hub_states',
    'candles',
    'blocks',
    'followers',
  ]) {
    rows.push(
      await database.store.query(
        `test_${table}`,
        `select r::text as row from market_${table} r where network = $1 order by 1`,
        [network],
      ),
    )
  }
  return rows
}

describe('what happens to the markets of one network happens to none of another', () => {
  const DEEDS: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
    'what they did is undone': (tx) => trades.undoMarkets(tx, here, HEIGHT),
    'what was before the newest final block is forgotten': (tx) =>
      trades.forgetReserves(tx, here, HEIGHT + 1n, 9),
    'their candles are made anew': async (tx) => {
      await trades.undoMarkets(tx, here, 0n)
      await remakeCandles(tx, here, [{ mint: MINT, timeMilliseconds: NOW }])
    },
    'they are read on': (tx) =>
      followers.moveMarketCursor(tx, cursor, {
        ...{ height: HEIGHT + 2n, blockHash: 'next', finalizedHeight: HEIGHT },
      }),
    'their blocks are undone': (tx) => followers.undoMarketBlocks(tx, here, HEIGHT),
    'their old blocks are forgotten': (tx) => {
      const finalizedHeight = HEIGHT + 1n + BigInt(limits.finalBlocksKept)
      return followers.forgetMarketBlocks(tx, { ...cursor, finalizedHeight }, 9)
    },
    'their lease is given back': (tx) => followers.releaseMarketLease(tx, here, 'one'),
  }
  test.each(Object.entries(DEEDS))('%s', async (_, deed) => {
    const [own, other] = [await rowsOf(here), await rowsOf(there)]
    await inService(deed)
    expect(await rowsOf(here)).not.toEqual(own)
    expect(await rowsOf(there)).toEqual(other)
  })

  test('their lease is another instance’s, and who had it writes nothing any more', async () => {
    await inService((tx) => followers.releaseMarketLease(tx, here, 'two'))
    expect(await take(here, 'two')).toBeUndefined()
    await inService((tx) => followers.releaseMarketLease(tx, here, 'one'))
    expect(await take(here, 'two')).toMatchObject({ fence: cursor.fence + 1n })
    expect(await take(there, 'two')).toBeUndefined()
    const to = { height: HEIGHT + 2n, blockHash: 'next', finalizedHeight: HEIGHT }
    await expect(inService((tx) => followers.moveMarketCursor(tx, cursor, to))).rejects.toThrow(
      followers.MarketLeaseLost,
    )
  })
})

test('a token costs on each network what the markets of that one say', async () => {
  const shown = (network: NetworkId) =>
    inService(async (tx) => {
      const span = { fromMilliseconds: 0, toMilliseconds: NOW + 1, count: 9 }
      const candles = [60, 3_600, 86_400].map((seconds) => ({ network, mint: MINT, seconds }))
      const closes: unknown[] = []
      for (const asked of candles) {
        const found = await readCandles(tx, { ...asked, ...span })
        closes.push(found.map(({ close, trades: count }) => [close, count]))
      }
      const newest = await trades.newestTrades(tx, network, MINT, 9)
      const [price] = await latestPrices(tx, network, [MINT], [HUB])
      const [direct] = await latestPrices(tx, network, [MINT])
      return {
        closes,
        newest: newest.map(({ height, nativeAmount }) => [height, nativeAmount]),
        prices: [direct, price].map((each) => [each?.hub, each?.ratio, each?.depth]),
        blocks: (await followers.marketBlocks(tx, network)).map(({ blockHash }) => blockHash),
      }
    })
  const expected = (network: NetworkId, price: bigint) => ({
    closes: Array.from({ length: 3 }, () => [[price * ONE, 2]]),
    newest: [HEIGHT + 1n, HEIGHT].map((height) => [height, price * 10n]),
    prices: [
      [null, price * ONE, price * 10n],
      [HUB, price * price * ONE, price * 100n * price],
    ],
    blocks: [HEIGHT + 1n, HEIGHT, 1n].map((height) => `${network} ${height}`),
  })
  expect(await shown(here)).toEqual(expected(here, 1n))
  expect(await shown(there)).toEqual(expected(there, 10n))
})
