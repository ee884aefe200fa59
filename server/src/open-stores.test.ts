import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { limits } from './kernel/limits.ts'
import { openLog } from './kernel/log.ts'
import { until } from './kernel/until.ts'
import { openStores } from './open-stores.ts'
import type { Stores } from './open-stores.ts'
import { openTestDatabase } from './store/test-database.ts'
import type { TestDatabase } from './store/test-database.ts'

const SOON = { seconds: 30 }

let database: TestDatabase
let stores: Stores
beforeAll(async () => {
  database = await openTestDatabase()
  stores = openStores({ url: database.url, log: openLog('silent'), onAdded: () => undefined })
})
afterAll(async () => {
  await stores.close()
  await database.close()
})

test('callers who hold every connection of theirs, and more who wait, keep the service itself from nothing', async () => {
  const over = Promise.withResolvers<void>()
  onTestFinished(() => over.resolve())
  const hold = () =>
    stores.store.inTransaction('service', async (tx) => {
      await tx.query('hold', 'select 1')
      await over.promise
    })
  const held = Array.from({ length: limits.databaseConnectionsMax + 1 }, hold)
  await until('one caller waits', () => isFull(), SOON)
  expect(await stores.ownStore.query('own', 'select 1 as one')).toEqual([{ one: 1 }])
  expect(isFull()).toBe(true)
  over.resolve()
  await Promise.all(held)

  function isFull(): boolean {
    const { total, idle, waiting } = stores.pool()
    return total - idle >= limits.databaseConnectionsMax && waiting > 0
  }
})
