import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock as clock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { Secret } from '../kernel/secret.ts'
import { until } from '../kernel/until.ts'
import { countConnectedInstances } from './connected-instances.ts'
import { openListener } from './listen.ts'
import { StoreUnavailable } from './postgres.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('an instance counts for as long as it listens, and other connections do not', async () => {
  const count = () => countConnectedInstances(database.url)
  expect(await count()).toBe(0)
  const listeners = [1, 2].map(() =>
    openListener({ url: database.url, clock, log: openLog('silent') }),
  )
  await until('both listen', async () => (await count()) === 2, { seconds: 30 })
  await Promise.all(listeners.map((listener) => listener.stop()))
  await until('none listens', async () => (await count()) === 0, { seconds: 30 })
})

test('a database that does not answer is no database without instances', async () => {
  const gone = new URL(database.url.reveal())
  gone.pathname = '/nothing_of_this_name'
  await expect(countConnectedInstances(new Secret(gone.href))).rejects.toThrow(StoreUnavailable)
})
