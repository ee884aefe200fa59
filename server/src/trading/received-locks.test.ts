import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../kernel/until.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { forgetReceived, holdUnbooked } from './trade-store.ts'
import { openTradingScene } from './test-trading.ts'
import { scriptedVenue } from './test-venue.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('what forgets proceeds and what holds them take their rows in one order, so neither is ended for the other', async () => {
  const inTurn = (work: (tx: Tx) => Promise<unknown>) =>
    database.store.inTransaction('service', async (tx) => void (await work(tx)))
  const scene = await openTradingScene(database.store, 5_870_001, (tip) => [
    scriptedVenue({
      rate: 3n,
      balances: () => ({
        ...{ native: 100_000n, asset: 100_000n },
        ...{ height: tip().height, blockHash: tip().hash },
      }),
    }),
  ])
  const trades = [(await scene.trade()).trade, (await scene.trade()).trade]
  const paymentIds = trades.map(({ paymentId }) => paymentId)
  const [first, second] = trades.map(({ id }) => id).toSorted()
  // The later row is written first, so that it lies before the other one.
  for (const id of [second, first]) {
    await inTurn((tx) =>
      tx.query(
        'test_receive',
        'update trades set received = 1, received_height = 1 where id = $1',
        [id],
      ),
    )
  }
  const { address } = scene.wallet
  const { network } = scene.chain.config
  const isHeld = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const blocker = inTurn(async (tx) => {
    await tx.query('test_hold', 'select from trades where id = $1 for no key update', [first])
    isHeld.resolve()
    await end.promise
  })
  await isHeld.promise
  const holding = inTurn((tx) => holdUnbooked(tx, { address, network }))
  await waiting(1)
  const forgetting = inTurn((tx) => forgetReceived(tx, paymentIds))
  await waiting(2)
  end.resolve()
  const outcomes = await Promise.allSettled([blocker, holding, forgetting])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
})

async function waiting(count: number): Promise<void> {
  const isSo = async () => {
    const rows = await database.store.query(
      'test_waiting',
      `select from pg_locks join pg_stat_activity using (pid)
       where datname = current_database() and not granted`,
    )
    return rows.length === count
  }
  await until(`${count} wait for a row`, isSo, { seconds: 60 })
}
