import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeWallet } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { outboxFigures } from './figures-store.ts'
import { addToOutbox } from './store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('the outbox says how many events wait at most, and how old the oldest is', async () => {
  const { store } = database
  const read = () => store.inTransaction('service', outboxFigures)
  expect(await read()).toEqual({ waiting: 0, oldestAtMilliseconds: null })
  const { accountId } = await makeWallet(store)
  const event = { accountId, type: 'payment', resourceId: 'pay_1', data: {} } as const
  for (const now of [1_790_000_000_000, 1_790_000_005_000, 1_790_000_009_000]) {
    await store.inTransaction('service', (tx) => addToOutbox(tx, [event], now))
  }
  expect(await read()).toEqual({ waiting: 3, oldestAtMilliseconds: 1_790_000_000_000 })
})
