import { afterAll, beforeAll, expect, test } from 'vitest'
import { chainLines } from '../../server/src/chains/solana/markets/test-router.ts'
import { ALICE, HASH } from '../../server/src/chains/solana/test-scene.ts'
import type { Venue } from '../../server/src/chains/venue.ts'
import { openTestDatabase } from '../../server/src/store/test-database.ts'
import type { TestDatabase } from '../../server/src/store/test-database.ts'
import { openTradingScene } from '../../server/src/trading/test-trading.ts'
import { scriptedVenue } from '../../server/src/trading/test-venue.ts'
import { FEE, HELD, LAMPORTS, openPump, quoteOf, token, worldOf } from './test-scene.ts'
import { curveOf } from './test-vectors.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const IN = 1_000n

/** The venue as it is, asked for its own wallet and coin whoever trades here. */
function lent(venue: Venue): Venue {
  return {
    ...venue,
    quote: async (order) => {
      const outcome = await venue.quote({ ...order, token })
      return outcome.ok ? { ok: true, quote: { ...outcome.quote, token: order.token } } : outcome
    },
    draft: ({ quote, ...order }) =>
      venue.draft({ ...order, wallet: ALICE, quote: { ...quote, token } }),
  }
}

test('a trade is committed, sent and booked, beside a venue that gives less', async () => {
  const out = (await quoteOf((await openPump()).venue, 'buy', IN)).amountOut
  const { venue } = await openPump(worldOf(), chainLines(LAMPORTS - IN - FEE, HELD + out))
  const less = scriptedVenue({
    rate: 1n,
    balances: () => {
      throw new Error('the better price was not taken')
    },
  })
  const first = { height: 50n, hash: HASH }
  const scene = await openTradingScene(database.store, 5_900_101, () => [less, lent(venue)], first)
  const { trade, state } = await scene.trade()
  expect(trade).toMatchObject({ venue: 'pump', quotedOut: out })
  expect(state.status).toBe('pending')
  const [hash] = scene.sent
  if (hash === undefined) throw new Error('nothing was sent')
  const received = out - 3n
  const transfers = [
    {
      asset: trade.token.mint,
      from: ALICE,
      to: scene.wallet.address,
      amount: received,
      logIndex: 2_002,
    },
  ]
  await scene.mine([{ hash, fee: FEE, transfers }])
  await scene.finalize()
  expect(await scene.standing(trade)).toMatchObject({
    trade: { received, taken: IN },
    state: { status: 'settled' },
  })
  await scene.expectSound()
})

test('a coin whose curve is complete is traded at another venue', async () => {
  const { venue } = await openPump(worldOf(curveOf(2, { 48: 1 })))
  const balances = () => ({ native: 10_000n, asset: 10_000n, height: 50n, blockHash: HASH })
  const other = scriptedVenue({ rate: 1n, balances })
  const first = { height: 50n, hash: HASH }
  const scene = await openTradingScene(database.store, 5_900_102, () => [lent(venue), other], first)
  const { trade } = await scene.trade()
  expect(trade).toMatchObject({ venue: 'uniswap-v2' })
  await scene.expectSound()
})
