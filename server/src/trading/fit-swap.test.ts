import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Address } from '../chains/chain.ts'
import { NotCarried } from '../chains/venue.ts'
import { TOKEN } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradingScene } from './test-trading.ts'
import type { TradingScene } from './test-trading.ts'
import { scriptedVenue } from './test-venue.ts'
import type { VenueScript } from './test-venue.ts'

let database: TestDatabase
let networks = 0
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

let scene: TradingScene
let best: VenueScript
let other: VenueScript
/** Base units of what goes in that the wallet has. */
let asset: bigint
beforeEach(async () => {
  asset = 10_000n
  scene = await openTradingScene(database.store, 5_100_000 + (networks += 1), (tip) => {
    const balances = () => ({
      ...{ native: 10_000n, asset },
      ...{ height: tip().height, blockHash: tip().hash },
    })
    best = { rate: 3n, balances }
    other = { rate: 2n, balances }
    return [scriptedVenue(other, 'uniswap-v3'), scriptedVenue(best)]
  })
  return () => scene.expectSound()
})

const codeOf = async (work: Promise<unknown>) => {
  try {
    await work
    return 'no refusal'
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

describe('a venue that quotes the most and does not carry it', () => {
  test('is passed over for the next, which has the least of its own quote', async () => {
    const next = { venue: 'uniswap-v3', quotedOut: 2_000n, minimumOut: 1_800n }
    best.failure = new NotCarried('a route that is not signed here')
    expect((await scene.trade()).trade).toMatchObject(next)
    delete best.failure
    for (const refusal of ['no_market', 'less_than_quoted'] as const) {
      best.refusal = refusal
      expect((await scene.trade()).trade).toMatchObject(next)
    }
    asset = 5_000n
    best.refusal = 'allowance_left'
    expect((await scene.trade({ side: 'sell' })).trade).toMatchObject(next)
  })

  test('is asked for another of its quotes, in the order of all, with the least of that one', async () => {
    best.quote = async () => {
      const token = { mint: TOKEN as Address, decimals: 6, symbol: null }
      const quoted = await scriptedVenue({ rate: 3n, balances: () => best.balances() }).quote({
        ...{ side: 'buy', token, amountIn: 1_000n },
      })
      if (!quoted.ok) throw new Error(quoted.refusal)
      const less = (amountOut: bigint) => ({ ...quoted.quote, amountOut })
      return { ...quoted, others: [less(2_500n), less(1_500n)] }
    }
    best.failureOf = ({ amountOut }) =>
      amountOut === 3_000n ? new NotCarried('a promise of one maker') : undefined
    expect((await scene.trade()).trade).toMatchObject({
      ...{ venue: 'uniswap-v2', quotedOut: 2_500n, minimumOut: 2_250n },
    })
    best.failureOf = ({ amountOut }) =>
      amountOut > 2_000n ? new NotCarried('promises of two makers') : undefined
    expect((await scene.trade()).trade).toMatchObject({ venue: 'uniswap-v3', quotedOut: 2_000n })
  })

  test('stays the measure where it may carry it later: the next has to give the minimum of its quote', async () => {
    for (const [reason, code] of [
      [{ failure: new NodeFailure('away') }, 'NodeFailure'],
      [{ refusal: 'price_moved' as const }, 'SLIPPAGE_EXCEEDED'],
    ] as const) {
      Object.assign(best, { failure: undefined, refusal: undefined, ...reason })
      other.rate = 2n
      const outcome = await codeOf(scene.trade())
      expect(outcome instanceof NodeFailure ? 'NodeFailure' : outcome).toBe(code)
      expect(scene.sent).toHaveLength(0)
    }
    best.rate = 30n
    other.rate = 28n
    expect((await scene.trade()).trade).toMatchObject({
      ...{ venue: 'uniswap-v3', quotedOut: 28_000n, minimumOut: 27_000n },
    })
  })

  test('ends as a failure of the market where no other carries it, either, and nothing is stored', async () => {
    best.failure = new NotCarried('a route that is not signed here')
    other.refusal = 'no_market'
    await expect(scene.trade()).rejects.toBe(best.failure)
    expect(scene.sent).toHaveLength(0)
    expect(await scene.books('native')).toEqual({ available: 0n, held: 0n })
  })

  test('changes nothing for a wallet that is short: that is said at once', async () => {
    best.refusal = 'insufficient_funds'
    expect(await codeOf(scene.trade())).toBe('INSUFFICIENT_BALANCE')
  })
})
