import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { accountsToSum, sumHours } from './hours-store.ts'
import { paymentFigures } from './overview-store.ts'
import { sumAccountHours } from './sum-hours.ts'
import { HOUR, payingAccount, plainPayment as plain, writePayment } from './test-hours.ts'

const DAY = 24 * HOUR
const KEPT_DAYS = 32

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const inAccount = <T>(accountId: AccountId, work: (tx: Tx) => Promise<T>) =>
  database.store.inTransaction(accountId, work)
const pay = (accountId: AccountId, ago: number) =>
  inAccount(accountId, (tx) => writePayment(tx, accountId, { ...plain, ago }))
const sum = (accountId: AccountId) => sumAccountHours(database.store, accountId)

/** What the overview of a month counts. */
async function counted(accountId: AccountId): Promise<number> {
  const fromMilliseconds = Math.floor(Date.now() / DAY) * DAY - 29 * DAY
  const { groups } = await inAccount(accountId, (tx) =>
    paymentFigures(tx, accountId, { fromMilliseconds, lengthMilliseconds: DAY }),
  )
  return groups.reduce((total, { payments }) => total + payments, 0)
}

/** Sums up as a database does whose clock runs so far ahead. */
const sumAhead = (accountId: AccountId, ahead: string) =>
  inAccount(accountId, (tx) =>
    sumHours(
      {
        ...tx,
        query: (name, text, values) =>
          tx.query(
            `ahead_${ahead}_${name}`,
            text.replaceAll('now()', `(now() + interval '${ahead}')`),
            values,
          ),
      },
      accountId,
      { keptDays: KEPT_DAYS, hoursMax: 10_000 },
    ),
  )

const isDue = async (accountId: AccountId) =>
  (
    await inAccount(accountId, (tx) =>
      accountsToSum(tx, { keptDays: KEPT_DAYS, countMax: 9, after: '' }),
    )
  ).includes(accountId)

const keptUntil = async (accountId: AccountId) => {
  const until = 'select until from payment_hours_kept where account_id = $1'
  const [row] = await database.store.query<{ until: Date }>('test_until', until, [accountId])
  return row?.until.getTime() ?? Number.NaN
}

// Some hours, as of a machine that took its time zone for UTC, and longer than sums are kept.
test.each(['5 hours', '50 days'])(
  'payments are counted that come after the clock of the database was set back by %s',
  async (ahead) => {
    const accountId = await payingAccount(database.store)
    await pay(accountId, 5 * HOUR)
    await pay(accountId, 0)
    await sumAhead(accountId, ahead)

    await pay(accountId, 0)
    expect(await counted(accountId)).toBe(3)

    // Hours that were summed up before they had ended are summed up anew when they have.
    expect(await isDue(accountId)).toBe(true)
    await sum(accountId)
    expect(await keptUntil(accountId)).toBeLessThan(Date.now() - HOUR)
    expect(await counted(accountId)).toBe(3)
    expect(await isDue(accountId)).toBe(false)
    await sumAhead(accountId, '5 hours')
    await pay(accountId, 3 * HOUR)
    await sum(accountId)
    expect(await counted(accountId)).toBe(4)
  },
)
