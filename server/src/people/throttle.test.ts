import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openThrottle } from './throttle.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('a window that began before a clock was set back is over, and one of another instance’s clock is not', async () => {
  let now = systemClock.nowMilliseconds()
  const clock = { ...systemClock, nowMilliseconds: () => now }
  const throttle = openThrottle({ store: database.store, clock })
  const tries = { address: '100.64.0.7', email: 'ada@example.com' }
  for (let attempt = 0; attempt < limits.signInsPerEmail; attempt += 1) await throttle.count(tries)
  await expect(throttle.count(tries)).rejects.toThrow(/Too many/)
  now -= limits.clockAheadSeconds * 1000
  await expect(throttle.count(tries)).rejects.toThrow(/Too many/)
  now -= 1
  await throttle.count(tries)
})
