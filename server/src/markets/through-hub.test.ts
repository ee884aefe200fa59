import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address, TransactionHash } from '../chains/chain.ts'
import { testNetwork } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { storeHubStates } from './hub-store.ts'
import { hubsOf } from './hubs.ts'
import { figuresOfTokens } from './list-store.ts'
import { latestPrices, liquidityOf } from './price-store.ts'
import { ratioOf } from './price.ts'
import { bestPrice, throughHub } from './through-hub.ts'
import { marketTokens, storeTokens } from './token-store.ts'
import {
  forgetReserves,
  forgetTrades,
  storeReserves,
  storeTrades,
  undoMarkets,
} from './trade-store.ts'

const ETHER = 10n ** 18n
const USDC = 10n ** 6n
const mintOf = (digit: string) => `0x${digit.repeat(40)}` as Address
const HUB = mintOf('1')
const OTHER_HUB = mintOf('2')
const MINT = mintOf('3')
const NATIVE_MINT = mintOf('4')
const HUBS = [HUB, OTHER_HUB]

let database: TestDatabase
let serial = 50_000
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** What markets show on a network that nothing else uses. */
function openNetwork() {
  serial += 1
  const { network } = testNetwork(serial)
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)
  const placeAt = (height: bigint, at: number) => ({
    ...{ venue: 'uniswap-v2' as const, effectIndex: 0, blockHash: '0x1', height },
    ...{ timeMilliseconds: at, transactionHash: `0x${height}` as TransactionHash },
  })
  return {
    network,
    within,
    pool: (mint: Address, native: bigint, token: bigint, { height = 1n, at = 1_000 } = {}) =>
      within((tx) =>
        storeReserves(tx, network, [
          {
            kind: 'reserves',
            ...placeAt(height, at),
            mint,
            market: `p ${mint}` as Address,
            native,
            token,
          },
        ]),
      ),
    hubPool: (
      mint: Address,
      hub: Address,
      hubAmount: bigint,
      tokenAmount: bigint,
      { height = 1n, at = 2_000, isHeld = true } = {},
    ) =>
      within((tx) =>
        storeHubStates(tx, network, [
          {
            ...{ kind: 'hub', ...placeAt(height, at), mint, hub, isHeld, hubAmount, tokenAmount },
            market: `h ${hub} ${isHeld}` as Address,
          },
        ]),
      ),
    trade: (mint: Address, price: bigint, at = 3_000) =>
      within((tx) =>
        storeTrades(tx, network, [
          {
            ...{ kind: 'trade', ...placeAt(1n, at), venue: 'rfq', side: 'buy', mint, price },
            ...{ market: 'maker' as Address, trader: 't' as Address },
            ...{ nativeAmount: 1n, tokenAmount: 1n },
          },
        ]),
      ),
    price: async (mint: Address, hubs: readonly string[] = HUBS) =>
      (await within((tx) => latestPrices(tx, network, [mint], hubs)))[0],
  }
}

describe('the price of a token that is traded against a hub', () => {
  test('is its price in the hub times the one of the hub, the older of both and as deep as the lesser', async () => {
    const { pool, hubPool, price } = openNetwork()
    // 3,000 USDC for a coin; 20 of the token for a USDC.
    await pool(HUB, 7n * ETHER, 21_000n * USDC, { at: 1_000 })
    await hubPool(MINT, HUB, 300_000n * USDC, 6_000_000n * ETHER, { at: 2_000 })
    const exact = ratioOf(300_000n * USDC * 7n * ETHER, 6_000_000n * ETHER * 21_000n * USDC)
    const expected = { mint: MINT, ratio: exact, hub: HUB, atMilliseconds: 1_000 }
    expect(await price(MINT)).toEqual({ ...expected, depth: 7n * ETHER })
    await pool(HUB, 700n * ETHER, 2_100_000n * USDC, { height: 2n, at: 9_000 })
    expect(await price(MINT)).toEqual({ ...expected, depth: 100n * ETHER, atMilliseconds: 2_000 })
  })

  test('is not known where either of them is not, or the operator names no such hub', async () => {
    const { pool, hubPool, price, network, within } = openNetwork()
    await hubPool(MINT, HUB, 300n * USDC, ETHER)
    expect(await price(MINT)).toBeUndefined()
    await pool(HUB, ETHER, 3_000n * USDC)
    expect(await price(MINT)).toBeDefined()
    expect(await price(MINT, [OTHER_HUB])).toBeUndefined()
    expect(await price(MINT, [])).toBeUndefined()
    // Nor because somebody asks for the hub, too.
    const both = await within((tx) => latestPrices(tx, network, [MINT, HUB], []))
    expect(both.map(({ mint }) => mint)).toEqual([HUB])
    await hubPool(MINT, HUB, 0n, ETHER, { height: 2n })
    expect(await price(MINT)).toBeUndefined()
    await hubPool(MINT, HUB, 300n * USDC, ETHER, { height: 3n })
    await pool(HUB, ETHER, 0n, { height: 2n })
    expect(await price(MINT)).toBeUndefined()
  })

  test('never leads through two hubs, nor in a circle', async () => {
    const { pool, hubPool, price } = openNetwork()
    await hubPool(HUB, OTHER_HUB, USDC, USDC)
    await hubPool(OTHER_HUB, HUB, USDC, USDC)
    await hubPool(MINT, HUB, USDC, ETHER)
    for (const mint of [HUB, OTHER_HUB, MINT]) expect(await price(mint)).toBeUndefined()
    await pool(OTHER_HUB, ETHER, 3_000n * USDC)
    expect(await price(OTHER_HUB)).toMatchObject({ hub: null })
    for (const mint of [HUB, MINT]) expect(await price(mint)).toBeUndefined()
  })

  test('is said by the deepest pool there is, of native currency or of a hub', async () => {
    const { pool, hubPool, price } = openNetwork()
    await pool(HUB, 50n * ETHER, 150_000n * USDC)
    await hubPool(MINT, HUB, 30_000n * USDC, 1_000n)
    expect(await price(MINT)).toMatchObject({ hub: HUB, depth: 10n * ETHER })
    await pool(MINT, 9n * ETHER, 1n)
    expect(await price(MINT)).toMatchObject({ hub: HUB, depth: 10n * ETHER })
    await pool(OTHER_HUB, 60n * ETHER, 60n * ETHER)
    await hubPool(MINT, OTHER_HUB, 11n * ETHER, 1_000n)
    expect(await price(MINT)).toMatchObject({ hub: OTHER_HUB, depth: 11n * ETHER })
    await pool(MINT, 12n * ETHER, 1n, { height: 2n })
    expect(await price(MINT)).toMatchObject({ hub: null, depth: 12n * ETHER })
  })

  test('is of its last trade there where the pool does not show what it holds, and after one with native currency', async () => {
    const { pool, hubPool, trade, price, within } = openNetwork()
    await pool(HUB, 50n * ETHER, 150_000n * USDC)
    await hubPool(MINT, HUB, 30n * USDC, 1_000n, { isHeld: false })
    const ratio = ratioOf(ETHER / 100n, 1_000n)
    expect(await price(MINT)).toEqual({
      ...{ mint: MINT, hub: HUB, ratio, depth: null, atMilliseconds: 1_000 },
    })
    await trade(MINT, 77n)
    expect(await price(MINT)).toMatchObject({ hub: null, ratio: 77n })
    await within((tx) => forgetTrades(tx, 10_000, 100))
    expect(await price(MINT)).toBeUndefined()
    await hubPool(MINT, HUB, 30n * USDC, 1_000n)
    await within((tx) => forgetTrades(tx, 10_000, 100))
    expect(await price(MINT)).toMatchObject({ hub: HUB, ratio })
  })

  test('through a hub that shows no depth has none itself', async () => {
    const { trade, hubPool, price } = openNetwork()
    await trade(HUB, 5n * 10n ** 47n)
    await hubPool(MINT, HUB, 10n, 10n)
    expect(await price(MINT)).toMatchObject({ ratio: 5n * 10n ** 47n, depth: null, hub: HUB })
  })

  test('is read with the one query that reads all prices', async () => {
    const { pool, hubPool, network, within } = openNetwork()
    await pool(HUB, 50n * ETHER, 150_000n * USDC)
    await hubPool(MINT, HUB, 30n * USDC, 1_000n)
    await hubPool(NATIVE_MINT, HUB, 30n * USDC, 1_000n)
    await within(async (tx) => {
      let queries = 0
      const counted: Tx = {
        ...tx,
        query: (...asked: Parameters<Tx['query']>) => {
          queries += 1
          return tx.query(...asked)
        },
      }
      expect(await latestPrices(counted, network, [MINT, NATIVE_MINT, HUB], HUBS)).toHaveLength(3)
      expect(queries).toBe(1)
    })
  })

  test('goes back with the blocks that the chain left, and only what newer final ones replaced is forgotten', async () => {
    const { pool, hubPool, price, network, within } = openNetwork()
    await pool(HUB, 50n * ETHER, 150_000n * USDC)
    await hubPool(MINT, HUB, 30n * USDC, 1_000n, { height: 2n })
    const before = await price(MINT)
    await hubPool(MINT, HUB, 60n * USDC, 1_000n, { height: 5n })
    expect(await price(MINT)).not.toEqual(before)
    const undone = await within((tx) => undoMarkets(tx, network, 4n))
    expect(undone.repriced).toEqual([MINT])
    expect(await price(MINT)).toEqual(before)
    await hubPool(MINT, HUB, 60n * USDC, 1_000n, { height: 5n })
    await within((tx) => forgetReserves(tx, network, 4n, 100))
    await within((tx) => undoMarkets(tx, network, 4n))
    expect(await price(MINT)).toEqual(before)
    await hubPool(MINT, HUB, 60n * USDC, 1_000n, { height: 5n })
    await within((tx) => forgetReserves(tx, network, 5n, 100))
    await within((tx) => undoMarkets(tx, network, 4n))
    expect(await price(MINT)).toBeUndefined()
  })

  test('stands among the others by how deep it is; nobody knows the volume of what native currency did not trade', async () => {
    const { pool, hubPool, price, network, within } = openNetwork()
    await pool(HUB, 50n * ETHER, 150_000n * USDC)
    await pool(NATIVE_MINT, 9n * ETHER, 1n)
    await hubPool(MINT, HUB, 30_000n * USDC, 1_000n)
    await within((tx) =>
      storeTokens(
        tx,
        network,
        [NATIVE_MINT, MINT, HUB].map((mint) => ({ mint, decimals: 6, symbol: 'T', name: null })),
        0,
      ),
    )
    const listed = await within((tx) => marketTokens(tx, network, 10, HUBS))
    expect(listed.map(({ mint }) => mint)).toEqual([HUB, MINT, NATIVE_MINT])
    const figures = await within((tx) => figuresOfTokens(tx, network, [MINT, NATIVE_MINT], 0))
    expect(figures.get(MINT)).toEqual({ liquidity: null, dayVolume: null, dayAgo: null })
    expect(figures.get(NATIVE_MINT)).toMatchObject({ dayVolume: 0n })
    expect(liquidityOf(figures.get(MINT), await price(MINT))).toBe(20n * ETHER)
    expect(liquidityOf(figures.get(NATIVE_MINT), await price(NATIVE_MINT))).toBe(18n * ETHER)
  })
})

test('a product of two prices is rounded down once, and no deeper than either of its pools', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
  fc.assert(
    fc.property(amount, amount, amount, amount, (quote, token, native, hubToken) => {
      const hub = { mint: HUB, native, token: hubToken, depth: native, atMilliseconds: 1 }
      const leg = { mint: MINT, hub: HUB, quote, token, isHeld: true, atMilliseconds: 2 }
      const found = throughHub(leg, hub)
      const exact = (quote * native * 10n ** 36n) / (token * hubToken)
      expect(found?.ratio ?? 0n).toBe(exact)
      if (found === undefined) return
      expect(found.depth).toBeLessThanOrEqual(native)
      expect((found.depth ?? 0n) * hubToken).toBeLessThanOrEqual(quote * native)
      expect(bestPrice({ ...found, hub: null }, [found])).toMatchObject({ hub: null })
    }),
  )
})

test('hubs are those of all markets once, in the one spelling, and never the native currency itself', () => {
  const contracts = { factory: HUB, router: HUB, wrappedNative: OTHER_HUB }
  expect(hubsOf({})).toEqual([])
  expect(
    hubsOf({
      markets: [
        { venue: 'uniswap-v2', ...contracts, hubs: [MINT, OTHER_HUB] },
        { venue: 'uniswap-v3', ...contracts, quoter: HUB, feeTiers: [500], hubs: [MINT, HUB] },
        { venue: 'rfq', makers: [] },
      ],
    }),
  ).toEqual([MINT, HUB])
})
