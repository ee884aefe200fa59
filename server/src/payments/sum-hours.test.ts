import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { until } from '../kernel/until.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { accountsToSum } from './hours-store.ts'
import { startSummingHours } from './sum-hours.ts'
import { payingAccount, plainPayment, summedHours, writePayment } from './test-hours.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('accounts with payments to sum up are found one by one, each look behind the last one', async () => {
  const accounts = [
    await payingAccount(database.store),
    await payingAccount(database.store),
    await payingAccount(database.store),
  ]
  for (const each of accounts)
    await database.store.inTransaction(each, (tx) => writePayment(tx, each, plainPayment))
  const found: AccountId[] = []
  const look = (after: string) =>
    database.store.inTransaction('service', (tx) =>
      accountsToSum(tx, { keptDays: 32, countMax: 1, after }),
    )
  for (let [next] = await look(''); next !== undefined; [next] = await look(next)) {
    found.push(next)
  }
  expect(found.filter((each) => accounts.includes(each)).toSorted()).toEqual(accounts.toSorted())
  expect(new Set(found).size).toBe(found.length)
})

test('payments of one account are summed up whatever fails for those before it, and the log names these', async () => {
  const accounts: AccountId[] = []
  for (let each = 0; each < 12; each += 1) accounts.push(await payingAccount(database.store))
  for (const each of accounts)
    await database.store.inTransaction(each, (tx) => writePayment(tx, each, plainPayment))
  const [last] = await database.store.query<{ id: AccountId }>(
    'test_last',
    'select id from accounts where id = any ($1) order by id desc limit 1',
    [accounts],
  )
  if (last === undefined) throw new Error('no account')
  const failed = new Set<unknown>()
  const log = openLog('silent')
  const stop = startSummingHours({
    store: {
      ...database.store,
      inTransaction: (scope, work) => {
        if (accounts.includes(scope as AccountId) && scope !== last.id) {
          throw new Error('canceling statement due to statement timeout')
        }
        return database.store.inTransaction(scope, work)
      },
    },
    clock: { ...systemClock, sleep: (_, signal) => systemClock.sleep(10, signal) },
    log: { ...log, warn: ({ accountId }) => void failed.add(accountId) },
  })
  try {
    await until(
      'it is summed up',
      async () => (await summedHours(database.store, last.id)).length > 0,
      {
        seconds: 30,
      },
    )
  } finally {
    await stop()
  }
  expect(accounts.filter((each) => failed.has(each))).toHaveLength(11)
})
