import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  HELD,
  FEE,
  LAMPORTS,
  OUT,
  chainLines,
  openTestRouter,
} from '../chains/solana/markets/test-router.ts'
import { ALICE, HASH, MINT } from '../chains/solana/test-scene.ts'
import type { Venue } from '../chains/venue.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradingScene } from './test-trading.ts'
import { scriptedVenue } from './test-venue.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const IN = 1_000n
/** One step through a market that nobody here knows the size of. */
const UNKNOWN_KIND = Uint8Array.of(1, 0, 0, 0, 200, 100, 0, 1)
const token = { mint: MINT, decimals: 6, symbol: 'USDC' }

/** The router as it is, asked for its own wallet and token whoever trades here. */
function lent(router: Venue): Venue {
  return {
    ...router,
    quote: async (order) => {
      const outcome = await router.quote({ ...order, token })
      return outcome.ok ? { ok: true, quote: { ...outcome.quote, token: order.token } } : outcome
    },
    draft: ({ quote, ...order }) =>
      router.draft({ ...order, wallet: ALICE, quote: { ...quote, token } }),
  }
}

describe('a trade with a hosted router', () => {
  test('is committed and sent, beside a venue that gives less', async () => {
    const lines = chainLines(LAMPORTS - IN - FEE, HELD + OUT)
    const { venue } = await openTestRouter({ lines })
    const less = scriptedVenue({
      rate: 1n,
      balances: () => {
        throw new Error('the better price was not taken')
      },
    })
    const first = { height: 50n, hash: HASH }
    const scene = await openTradingScene(
      database.store,
      5_900_001,
      () => [less, lent(venue)],
      first,
    )
    const { trade, state } = await scene.trade()
    expect(trade).toMatchObject({ venue: 'jupiter', quotedOut: OUT })
    expect(state.status).toBe('pending')
    expect(scene.sent).toHaveLength(1)
    await scene.expectSound()
  })

  test('whose route cannot be read is made at the next best venue', async () => {
    const { venue } = await openTestRouter({ route: { plan: UNKNOWN_KIND } })
    const balances = () => ({ native: 10_000n, asset: 10_000n, height: 50n, blockHash: HASH })
    const less = scriptedVenue({ rate: 1n, balances })
    const first = { height: 50n, hash: HASH }
    const scene = await openTradingScene(
      database.store,
      5_900_002,
      () => [less, lent(venue)],
      first,
    )
    const { trade } = await scene.trade()
    expect(trade).toMatchObject({ venue: 'uniswap-v2', quotedOut: IN })
    expect(scene.sent).toHaveLength(1)
    await scene.expectSound()
  })
})
