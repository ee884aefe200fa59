import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Address } from '../chains/chain.ts'
import type { MarketTrade } from '../chains/market.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { readCandles } from './candle-store.ts'
import { marketEventsAfter } from './event-store.ts'
import { followMarkets } from './follow-markets.ts'
import type { MarketDeps } from './market-deps.ts'
import { MarketsMoved } from './market-deps.ts'
import { beginMarkets, MarketLeaseLost, takeMarketLease } from './market-follower-store.ts'
import type { MarketCursor } from './market-follower-store.ts'
import { figuresOfTokens } from './list-store.ts'
import { latestPrices } from './price-store.ts'
import { ratioOf } from './price.ts'
import { openTestMarketChain, TEST_MINTS } from './test-market-chain.ts'
import type { TestDeed, TestMarketChain } from './test-market-chain.ts'
import { openToldPrices } from './told-prices.ts'
import { newestTrades } from './trade-store.ts'

const [MINT, OTHER, NO_TOKEN] = TEST_MINTS
const LONG_AGO = Date.UTC(2025, 0, 1)
const LATER = Date.UTC(2027, 0, 1)

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A follower over a chain of its own, on a network that nothing else uses. */
async function openFollower(world: TestMarketChain, network: `eip155:${number}`) {
  const { config } = world.chain
  const chain = { ...world.chain, config: { ...config, network: network as typeof config.network } }
  const { store } = database
  const deps: MarketDeps = {
    ...{ chain, store, told: openToldPrices(), clock: systemClock },
    ...{ random: systemRandom, log: openLog('silent') },
  }
  const id = chain.config.network
  const tx = <T>(work: Parameters<typeof store.inTransaction<T>>[1]) =>
    store.inTransaction('service', work)
  const [first] = await chain.blocks(0n, 1)
  if (first === undefined) throw new Error('no block')
  await tx((inside) => beginMarkets(inside, id, first))
  const lease = async (owner = 'one') => {
    const taken = await tx((inside) => takeMarketLease(inside, id, owner, 60_000))
    if (taken === undefined) throw new Error('no lease')
    return taken
  }
  let cursor: MarketCursor = await lease()
  return {
    deps,
    id,
    tx,
    lease,
    /** Reads until nothing more comes. */
    follow: async () => {
      for (;;) {
        const before = cursor
        try {
          cursor = await followMarkets(deps, cursor, await chain.head())
        } catch (error) {
          // A chain that is only shorter is waited for.
          if (error instanceof MarketsMoved) return
          throw error
        }
        if (cursor.height === before.height && cursor.blockHash === before.blockHash) return
      }
    },
    step: async (from: MarketCursor) => await followMarkets(deps, from, await chain.head()),
    cursor: () => cursor,
    /** Trades that listeners believe in: told and not taken back. */
    believed: async () => {
      const events = await tx((inside) => marketEventsAfter(inside, id, 0n, 1_000_000))
      const told = new Map<string, number>()
      for (const { type, dataText } of events) {
        if (type !== 'trade') continue
        const data = JSON.parse(dataText)
        const change = data.retracted === true ? -1 : 1
        told.set(data.signature, (told.get(data.signature) ?? 0) + change)
      }
      return [...told].filter(([, count]) => count !== 0)
    },
  }
}

/** What the chain says, added up by hand. */
function truthOf(world: TestMarketChain, mint: string) {
  const facts = world.facts().filter((fact) => fact.mint === mint)
  const trades = facts.filter((fact) => fact.kind === 'trade')
  const real = trades.filter(
    ({ nativeAmount, tokenAmount }) => nativeAmount > 0n && tokenAmount > 0n,
  )
  const priceOf = (trade: MarketTrade) => {
    const shown = facts.findLast(
      (fact) => fact.kind === 'reserves' && fact.transactionHash === trade.transactionHash,
    )
    return shown?.kind === 'reserves'
      ? ratioOf(shown.native, shown.token)
      : ratioOf(trade.nativeAmount, trade.tokenAmount)
  }
  const candles = (seconds: number) =>
    [...Map.groupBy(real, ({ timeMilliseconds: at }) => Math.floor(at / 1000 / seconds))].map(
      ([start, own]) => {
        const prices = own.map((trade) => priceOf(trade) ?? 0n)
        return {
          startMilliseconds: start * seconds * 1000,
          open: prices[0],
          high: prices.reduce((most, price) => (price > most ? price : most)),
          low: prices.reduce((least, price) => (price < least ? price : least)),
          close: prices.at(-1),
          nativeVolume: own.reduce((sum, trade) => sum + trade.nativeAmount, 0n),
          tokenVolume: own.reduce((sum, trade) => sum + trade.tokenAmount, 0n),
          trades: own.length,
        }
      },
    )
  const held = facts.findLast((fact) => fact.kind === 'reserves')
  const last = real.at(-1)
  const price = held?.kind === 'reserves' ? ratioOf(held.native, held.token) : last && priceOf(last)
  return { real, candles, price }
}

const amount = fc.bigInt({ min: 1n, max: 10n ** 18n })
const mint = fc.constantFrom(MINT, OTHER)
const deed: fc.Arbitrary<TestDeed> = fc.oneof(
  fc.record({
    kind: fc.constant('open' as const),
    mint,
    native: fc.bigInt({ min: 10n ** 15n, max: 10n ** 20n }),
    token: fc.bigInt({ min: 10n ** 9n, max: 10n ** 15n }),
  }),
  fc.record({ kind: fc.constantFrom('buy' as const, 'sell' as const), mint, amount }),
  fc.record({ kind: fc.constant('fill' as const), mint, native: amount, token: amount }),
)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ mine: fc.array(deed, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ drop: fc.integer({ min: 1, max: 12 }) }) },
)

describe('markets that are followed', () => {
  test('trades, candles, prices and what listeners believe are those of the chain, however it forks', async () => {
    let network = 1_000
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        network += 1
        const world = openTestMarketChain()
        const follower = await openFollower(world, `eip155:${network}`)
        for (const one of steps) {
          if ('mine' in one) world.mine(one.mine)
          else {
            world.drop(one.drop)
            // The other branch is longer, as a chain's new one is.
            for (let more = 0; more <= one.drop; more += 1) world.mine()
          }
          await follower.follow()
        }
        expect(follower.cursor().height).toBe(world.height())
        const believed = await follower.believed()
        expect(believed.every(([, count]) => count === 1)).toBe(true)
        const all = [MINT, OTHER].map((one) => truthOf(world, one))
        expect(new Set(believed.map(([hash]) => hash))).toEqual(
          new Set(all.flatMap(({ real }) => real.map(({ transactionHash: hash }) => hash))),
        )
        for (const [index, one] of [MINT, OTHER].entries()) {
          const truth = all[index]
          await follower.tx(async (tx) => {
            const stored = await newestTrades(tx, follower.id, one, 1_000)
            expect(stored.map(({ transactionHash: hash }) => hash).toReversed()).toEqual(
              truth?.real.map(({ transactionHash: hash }) => hash),
            )
            for (const seconds of [60, 300, 3_600, 86_400]) {
              const asked = { network: follower.id, mint: one, seconds, count: 1_000 }
              const times = { fromMilliseconds: LONG_AGO, toMilliseconds: LATER }
              expect(await readCandles(tx, { ...asked, ...times })).toEqual(truth?.candles(seconds))
            }
            const [price] = await latestPrices(tx, follower.id, [one])
            expect(price?.ratio).toBe(truth?.price)
          })
        }
      }),
      { numRuns: 12 },
    )
  })

  test('a swap that a reorg takes away is gone from the event stream, the candles, the history and the price', async () => {
    const world = openTestMarketChain()
    const follower = await openFollower(world, 'eip155:901')
    world.mine([{ kind: 'open', mint: MINT, native: 10n ** 18n, token: 10n ** 12n }])
    world.mine([{ kind: 'buy', mint: MINT, amount: 10n ** 16n }])
    await follower.follow()
    const before = truthOf(world, MINT).price
    world.mine([{ kind: 'buy', mint: MINT, amount: 10n ** 17n }])
    await follower.follow()
    const read = () =>
      follower.tx(async (tx) => ({
        history: (await newestTrades(tx, follower.id, MINT, 10)).length,
        candles: await readCandles(tx, {
          ...{ network: follower.id, mint: MINT, seconds: 60, count: 10 },
          ...{ fromMilliseconds: LONG_AGO, toMilliseconds: LATER },
        }),
        price: (await latestPrices(tx, follower.id, [MINT]))[0]?.ratio,
        events: await marketEventsAfter(tx, follower.id, 0n, 100),
      }))
    const swapped = await read()
    expect(swapped.history).toBe(2)
    world.drop(1)
    world.mine()
    world.mine()
    await follower.follow()
    const undone = await read()
    expect(undone.history).toBe(1)
    expect(undone.price).toBe(before)
    expect(undone.candles.reduce((sum, { trades }) => sum + trades, 0)).toBe(1)
    const told = undone.events.slice(swapped.events.length).map(({ type, dataText }) => ({
      type,
      retracted: JSON.parse(dataText).retracted,
    }))
    expect(told).toEqual([
      { type: 'trade', retracted: true },
      { type: 'priceUpdate', retracted: undefined },
    ])
  })

  test('a chain that is replaced whole is read anew, and nothing of the old one stays', async () => {
    const world = openTestMarketChain()
    for (let more = 0; more < 5; more += 1) world.mine()
    const follower = await openFollower(world, 'eip155:902')
    world.mine([{ kind: 'open', mint: MINT, native: 10n ** 18n, token: 10n ** 12n }])
    world.mine([{ kind: 'buy', mint: MINT, amount: 10n ** 16n }])
    await follower.follow()
    world.replace()
    for (let more = 0; more < 12; more += 1) world.mine()
    await follower.follow()
    expect(follower.cursor().height).toBe(world.height())
    await follower.tx(async (tx) => {
      expect(await newestTrades(tx, follower.id, MINT, 10)).toEqual([])
      expect(await latestPrices(tx, follower.id, [MINT])).toEqual([])
    })
  })

  test('what is no token has no market', async () => {
    const world = openTestMarketChain({ noTokens: new Set([NO_TOKEN]) })
    const follower = await openFollower(world, 'eip155:903')
    world.mine([{ kind: 'open', mint: NO_TOKEN, native: 10n ** 18n, token: 10n ** 12n }])
    world.mine([{ kind: 'buy', mint: NO_TOKEN, amount: 10n ** 16n }])
    await follower.follow()
    await follower.tx(async (tx) => {
      expect(await latestPrices(tx, follower.id, [NO_TOKEN])).toEqual([])
      expect(await marketEventsAfter(tx, follower.id, 0n, 10)).toEqual([])
    })
  })

  test('an unknown price, volume and change stay unknown', async () => {
    const world = openTestMarketChain()
    const follower = await openFollower(world, 'eip155:904')
    await follower.tx(async (tx) => {
      expect(await latestPrices(tx, follower.id, [MINT])).toEqual([])
      expect((await figuresOfTokens(tx, follower.id, [MINT], LONG_AGO)).get(MINT)).toEqual({
        liquidity: null,
        dayVolume: null,
        dayAgo: null,
      })
    })
  })

  test('a token that the machine asked for it cannot know yet is waited for, and nothing of it is left out', async () => {
    const world = openTestMarketChain()
    let standing = 0n
    const facts = async (mints: readonly Address[], since = 0n) => {
      if (standing >= world.height()) return await world.chain.tokens.facts(mints)
      if (since > standing) throw new NodeFailure('the node stands before that')
      return mints.map(() => undefined)
    }
    const tokens = { ...world.chain.tokens, facts }
    const follower = await openFollower(
      { ...world, chain: { ...world.chain, tokens } },
      'eip155:908',
    )
    world.mine([{ kind: 'open', mint: MINT, native: 10n ** 18n, token: 10n ** 12n }])
    await expect(follower.follow()).rejects.toThrow(NodeFailure)
    standing = world.height()
    await follower.follow()
    await follower.tx(async (tx) =>
      expect(await latestPrices(tx, follower.id, [MINT])).toMatchObject([{ mint: MINT }]),
    )
  })

  test('an instance that lost the lease stores nothing', async () => {
    const world = openTestMarketChain()
    const follower = await openFollower(world, 'eip155:905')
    world.mine([{ kind: 'open', mint: MINT, native: 10n ** 18n, token: 10n ** 12n }])
    const late = follower.cursor()
    await follower.tx((tx) =>
      tx.query('expire', `update market_followers set lease_until = now() where network = $1`, [
        follower.id,
      ]),
    )
    await follower.lease('two')
    await expect(follower.step(late)).rejects.toThrow(MarketLeaseLost)
    await follower.tx(async (tx) => expect(await latestPrices(tx, follower.id, [MINT])).toEqual([]))
  })

  test('what is read long after it happened is stored and not told', async () => {
    const world = openTestMarketChain()
    const follower = await openFollower(world, 'eip155:906')
    world.mine([{ kind: 'open', mint: MINT, native: 10n ** 18n, token: 10n ** 12n }])
    for (let more = 0; more < 300; more += 1) world.mine()
    world.mine([{ kind: 'buy', mint: MINT, amount: 10n ** 16n }])
    await follower.follow()
    const events = await follower.tx((tx) => marketEventsAfter(tx, follower.id, 0n, 10))
    expect(events.map(({ type }) => type)).toEqual(['trade', 'priceUpdate'])
  })
})

test('markets are followed on although their lease was taken by a clock that was set back', async () => {
  const { tx, id, lease } = await openFollower(openTestMarketChain(), 'eip155:907')
  const { fence } = await lease()
  await expect(lease('new')).rejects.toThrow('no lease')
  await tx((inside) =>
    inside.query(
      'test_set_back',
      `update market_followers set lease_until = lease_until + interval '5 hours' where network = $1`,
      [id],
    ),
  )
  expect(await lease('new')).toMatchObject({ fence: fence + 1n })
})
