import { afterAll, beforeAll, expect, test } from 'vitest'
import { TOKEN } from '../payments/test-lane.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradingScene } from './test-trading.ts'
import { moved, POOL, scriptedVenue } from './test-venue.ts'

const BROUGHT = 3_000n
const OTHERS = 1_500n

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A store that lets something happen elsewhere right after the second look of a transaction at the chain that was followed. */
function openHookedStore(store: Store) {
  const hook: { afterLook?: () => Promise<void> } = {}
  const hooked: Store = {
    ...store,
    inTransaction: (scope, work) =>
      store.inTransaction(scope, (tx) => {
        let looks = 0
        const query: Tx['query'] = async (name, text, values) => {
          const rows = await tx.query<never>(name, text, values)
          if (name === 'follower_chain') looks += 1
          const { afterLook } = hook
          if (looks === 2 && afterLook !== undefined) {
            delete hook.afterLook
            await afterLook()
          }
          return rows
        }
        return work({ query })
      }),
  }
  return { hook, hooked }
}

test('a reorganisation while a send books what it found takes no name from it: the trade behind it is booked once', async () => {
  const { hook, hooked } = openHookedStore(database.store)
  let has = { native: 100_000n, token: 0n }
  let goesIn: 'native' | 'token' = 'native'
  const scene = await openTradingScene(hooked, 5_850_001, (tip) => [
    scriptedVenue({
      rate: 3n,
      balances: () => ({
        ...{ native: has.native, asset: has[goesIn] },
        ...{ height: tip().height, blockHash: tip().hash },
      }),
    }),
  ])
  const { trade } = await scene.trade()
  const hash = scene.sent.at(-1)
  if (hash === undefined) throw new Error('nothing was sent')
  const bought = { hash, transfers: [moved(TOKEN, POOL, scene.wallet.address, BROUGHT)] }
  await scene.mine([bought])

  goesIn = 'token'
  has = { native: 98_993n, token: OTHERS + BROUGHT }
  hook.afterLook = async () => {
    await scene.mine([], scene.tip().height)
    has = { native: 100_000n, token: OTHERS }
  }
  const sale = await scene.trade({ side: 'sell' })
  expect(sale.state.status).toBe('pending')
  await scene.mine([bought])
  await scene.finalize()
  expect((await scene.standing(trade)).state.status).toBe('settled')
  expect(await scene.books(TOKEN)).toEqual({
    ...{ available: OTHERS + BROUGHT - 1_000n, held: 1_000n },
  })
  await scene.expectSound()
})
