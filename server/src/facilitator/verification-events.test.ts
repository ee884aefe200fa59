import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { makeWallet } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openVerificationEvents } from './verification-events.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('many verifications are told of with one write, and no more than the limit wait', async () => {
  const { accountId } = await makeWallet(database.store)
  let writes = 0
  const store = {
    ...database.store,
    inTransaction: (...args: Parameters<typeof database.store.inTransaction>) => {
      writes += 1
      return database.store.inTransaction(...args)
    },
  }
  const events = openVerificationEvents({
    ...{ store: store as typeof database.store, clock: systemClock, log: openLog('silent') },
  })
  const no = { ok: false, reason: 'unsupported_scheme', payer: null, networkName: 'base' } as const
  for (let count = 0; count < limits.verificationEventsMax + 5; count += 1) {
    events.note(accountId, no)
  }
  await events.stop()
  expect(writes).toBe(1)
  const rows = await database.store.query(
    'test_verifications',
    `select count(*)::int as count, min(data ->> 'reason') as reason from outbox where type = 'verification'`,
  )
  expect(rows).toEqual([{ count: limits.verificationEventsMax, reason: 'unsupported_scheme' }])
})
