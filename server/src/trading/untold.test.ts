import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { TOKEN } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradingScene } from './test-trading.ts'
import type { TradingScene } from './test-trading.ts'
import { moved, POOL, scriptedVenue } from './test-venue.ts'
import type { Trade } from './trade.ts'

const BROUGHT = 3_000n

let database: TestDatabase
let networks = 0
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

let scene: TradingScene
/** What the chain says that the wallet has. */
let has: { native: bigint; token: bigint }
beforeEach(async () => {
  has = { native: 100_000n, token: 0n }
  let goesIn: 'native' | 'token' = 'native'
  scene = await openTradingScene(database.store, 5_700_000 + (networks += 1), (tip) => {
    const venue = scriptedVenue({
      rate: 3n,
      balances: () => ({
        native: has.native,
        asset: has[goesIn],
        height: tip().height,
        blockHash: tip().hash,
      }),
    })
    return [
      {
        ...venue,
        draft: async (order) => {
          goesIn = order.quote.side === 'buy' ? 'native' : 'token'
          return venue.draft(order)
        },
      },
    ]
  })
  return () => scene.expectSound()
})

/** A buy that was sent, and what its block holds. */
async function buy() {
  const { trade } = await scene.trade()
  const hash = scene.sent.at(-1)
  if (hash === undefined) throw new Error('nothing was sent')
  const transfers = [moved(TOKEN, POOL, scene.wallet.address, BROUGHT)]
  return { trade, hash, transfers }
}
/** Its block comes, and no node tells what it did; the wallet has what it brought. */
async function mineUntold(bought: Awaited<ReturnType<typeof buy>>, from?: bigint) {
  scene.untold.add(bought.hash)
  await scene.mine([bought], from)
  has.native -= 1_007n
  has.token += BROUGHT
}
const tell = async ({ hash }: { readonly hash: string }) => {
  for (const each of scene.untold) if (each === hash) scene.untold.delete(each)
  await scene.ask()
}
/** A sale of a thousand tokens: its look at the chain finds all that the wallet has. */
const look = () => scene.trade({ side: 'sell' })
const status = async (trade: Trade) => (await scene.standing(trade)).state.status

test('what an untold trade brought can be spent at once, and is booked once when it is told after that', async () => {
  const bought = await buy()
  await mineUntold(bought)
  expect(await status(bought.trade)).toBe('pending')
  await look()
  expect(await scene.books(TOKEN)).toEqual({ available: BROUGHT - 1_000n, held: 1_000n })
  await tell(bought)
  const told = await scene.standing(bought.trade)
  expect(told).toMatchObject({ trade: { received: BROUGHT }, state: { status: 'confirmed' } })
  await scene.finalize()
  expect(await status(bought.trade)).toBe('settled')
  expect(await scene.books(TOKEN)).toEqual({ available: BROUGHT - 1_000n, held: 1_000n })
})

test('the same holds when its block was final long before it is told', async () => {
  const bought = await buy()
  await mineUntold(bought)
  await scene.finalize()
  await scene.mine([])
  await look()
  await scene.finalize()
  await tell(bought)
  await scene.mine([])
  await scene.finalize()
  expect(await status(bought.trade)).toBe('settled')
  expect(await scene.books(TOKEN)).toEqual({ available: BROUGHT - 1_000n, held: 1_000n })
})

test('a look from before its block has not seen it: it is booked when it is final', async () => {
  const bought = await buy()
  // Of somebody else, and so found by every look.
  has.token = 1_500n
  await look()
  await mineUntold(bought)
  await tell(bought)
  expect(await scene.books(TOKEN)).toEqual({ available: 500n, held: 1_000n })
  await scene.finalize()
  expect(await scene.books(TOKEN)).toEqual({ available: 500n + BROUGHT, held: 1_000n })
})

test('one that is told before anybody looks is booked under its name, and not again', async () => {
  const bought = await buy()
  await mineUntold(bought)
  await tell(bought)
  await look()
  const named = await database.store.query<{ payment_id: string }>(
    'named',
    `select payment_id from ledger_transfers where payment_id = $1 and kind = 'funding' and asset = $2`,
    [bought.trade.paymentId, TOKEN],
  )
  expect(named).toHaveLength(1)
  await scene.finalize()
  expect(await scene.books(TOKEN)).toEqual({ available: BROUGHT - 1_000n, held: 1_000n })
})

test('of several, those that a look has seen are booked with it and the others by themselves', async () => {
  const [one, two, three] = [await buy(), await buy(), await buy()]
  await mineUntold(one)
  await mineUntold(two)
  await look()
  await mineUntold(three)
  for (const each of [three, one, two]) await tell(each)
  await scene.finalize()
  expect(await scene.books(TOKEN)).toEqual({ available: 3n * BROUGHT - 1_000n, held: 1_000n })
})

test('a reorganisation between the look and the word books nothing twice', async () => {
  const bought = await buy()
  await mineUntold(bought)
  await look()
  await scene.mine([], scene.tip().height)
  expect(await status(bought.trade)).toBe('pending')
  await scene.mine([bought])
  await tell(bought)
  await scene.finalize()
  expect(await status(bought.trade)).toBe('settled')
  expect(await scene.books(TOKEN)).toEqual({ available: BROUGHT - 1_000n, held: 1_000n })
})

test('money that comes while it was taken out of its block is not lost: the next look finds the rest', async () => {
  const bought = await buy()
  await mineUntold(bought)
  await scene.mine([], scene.tip().height)
  has.token = 1_500n
  await look()
  await scene.mine([bought])
  await tell(bought)
  await scene.finalize()
  has.token = 1_500n + BROUGHT
  await look()
  expect(await scene.books(TOKEN)).toEqual({ available: 1_500n + BROUGHT - 2_000n, held: 2_000n })
})
