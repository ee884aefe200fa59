import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Tx } from '../store/postgres.ts'
import { accountsToSum, sumHours } from './hours-store.ts'
import { latencyBounds } from './latency-bounds.ts'
import { paymentFigures } from './overview-store.ts'
import type { PaymentFigures, PaymentGroup } from './overview-store.ts'
import { sumAccountHours } from './sum-hours.ts'
import {
  HOUR,
  STATUSES,
  payingAccount,
  plainPayment as plain,
  summedHours as summedHoursOf,
  writePayment as pay,
} from './test-hours.ts'
import type { Status } from './test-hours.ts'
import { write } from '../store/test-write.ts'

const DAY = 24 * HOUR
const hourOf = (at: number) => Math.floor(at / HOUR) * HOUR

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const anAccount = () => payingAccount(database.store)
const summedHours = (accountId: AccountId) => summedHoursOf(database.store, accountId)

async function move(tx: Tx, id: PaymentId, status: Status, took: number): Promise<void> {
  const isSeen = status === 'confirmed' || status === 'settled'
  await tx.query(
    'test_move',
    `update payments set status = $2, failure = $3, transaction_hash = coalesce(transaction_hash, $1),
       confirmed_at = case when $4 then created_at + $5 * interval '1 millisecond' end,
       settled_at = case when $4 then created_at + $5 * interval '1 millisecond' end where id = $1`,
    [id, status, status === 'failed' ? '{}' : null, isSeen, took],
  )
}

const MINUTE = 60_000
const STRETCHES = [
  // From within an hour that is summed up, as a service asks whose clock is behind that of the database.
  { lengthMilliseconds: MINUTE, count: 9 * 60 + 30 },
  { lengthMilliseconds: MINUTE, count: 60 },
  { lengthMilliseconds: HOUR, count: 24 },
  { lengthMilliseconds: DAY, count: 30 },
]
const fromOf = ({ lengthMilliseconds: length, count }: (typeof STRETCHES)[number]) =>
  Math.floor(Date.now() / length) * length - (count - 1) * length

/** Everything that figures say, each fact under one name, so that two ways to it can be compared. */
function facts({ groups, latencies }: PaymentFigures): Readonly<Record<string, string>> {
  const all = new Map<string, bigint>()
  const add = (name: unknown[], value: bigint) =>
    all.set(JSON.stringify(name), (all.get(JSON.stringify(name)) ?? 0n) + value)
  for (const { payments, amount, ...group } of groups) {
    add(['payments', ...Object.entries(group).toSorted()], BigInt(payments))
    add(['amount', ...Object.entries(group).toSorted()], amount)
  }
  for (const { bucket, payments } of latencies) {
    for (const [bin, each] of payments) add(['latency', bucket, bin], BigInt(each))
  }
  return Object.fromEntries([...all].map(([name, value]) => [name, value.toString()]))
}

/** The same from the payments alone, in one transaction with what is compared, so that nothing moves between. */
async function fromPayments(
  tx: Tx,
  accountId: AccountId,
  fromMilliseconds: number,
  lengthMilliseconds: number,
): Promise<PaymentFigures> {
  const rows = await tx.query<
    Omit<PaymentGroup, 'bucket' | 'payments' | 'amount'> & {
      created_at: Date
      amount: string
      bin: number | null
    }
  >(
    'test_payments',
    `select created_at, network, asset, decimals, type, status, amount,
       case when occurrence is null then width_bucket(confirmed_at - created_at, $3::interval[]) end as bin
     from payments where account_id = $1 and created_at >= $2`,
    [
      accountId,
      new Date(fromMilliseconds),
      latencyBounds.map((milliseconds) => `${milliseconds} milliseconds`),
    ],
  )
  const bucketOf = (at: Date) => Math.floor((at.getTime() - fromMilliseconds) / lengthMilliseconds)
  return {
    groups: rows.map(({ created_at: at, amount, network, asset, decimals, type, status }) => ({
      ...{ network, asset, decimals, type, status },
      bucket: bucketOf(at),
      payments: 1,
      amount: BigInt(amount),
    })),
    latencies: rows.flatMap(({ created_at: at, bin }) =>
      bin === null ? [] : [{ bucket: bucketOf(at), payments: new Map([[bin, 1]]) }],
    ),
  }
}

async function expectExact(accountId: AccountId): Promise<void> {
  for (const stretch of STRETCHES) {
    const from = fromOf(stretch)
    const length = stretch.lengthMilliseconds
    await database.store.inTransaction(accountId, async (tx) => {
      const asked = { fromMilliseconds: from, lengthMilliseconds: length }
      const found = await paymentFigures(tx, accountId, asked)
      expect(facts(found)).toEqual(facts(await fromPayments(tx, accountId, from, length)))
    })
  }
}

const inAccount = <T>(accountId: AccountId, work: (tx: Tx) => Promise<T>) =>
  database.store.inTransaction(accountId, work)
const sum = (accountId: AccountId) => sumAccountHours(database.store, accountId)

const status = fc.constantFrom(...STATUSES)
// Around now, around the hours that are just being summed up, and over all that is looked back on.
const ago = fc.oneof(
  fc.integer({ min: 0, max: 3 * HOUR }),
  fc.integer({ min: 0, max: 26 * HOUR }),
  fc.integer({ min: 0, max: 34 * DAY }),
)
const took = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 8 * HOUR }))
const fields = fc.record({
  ...{ ago, status, took },
  amount: fc.bigInt({ min: 1n, max: 10n ** 24n }),
  asset: fc.constantFrom('native', 'a', 'b'),
  isDeposit: fc.boolean(),
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pay' as const), fields }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant('move' as const), which: fc.nat(), status, took },
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('sum' as const) }) },
  // Two instances sum up while somebody's transaction is still open.
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('between' as const), fields }) },
)

describe('payments by the hour', () => {
  test('say what the payments say, whatever changed and whenever they were summed up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const accountId = await anAccount()
        const known: PaymentId[] = []
        for (const each of steps) {
          if (each.kind === 'sum') await sum(accountId)
          else if (each.kind === 'pay') {
            known.push(await inAccount(accountId, (tx) => pay(tx, accountId, each.fields)))
          } else if (each.kind === 'between') {
            await inAccount(accountId, async (tx) => {
              known.push(await pay(tx, accountId, each.fields))
              await Promise.all([sum(accountId), sum(accountId)])
            })
          } else {
            const id = known[each.which % Math.max(1, known.length)]
            if (id !== undefined) {
              await inAccount(accountId, (tx) => move(tx, id, each.status, each.took))
            }
          }
        }
        await expectExact(accountId)
        await sum(accountId)
        await expectExact(accountId)
      }),
      { numRuns: 15 },
    )
  })

  test('are summed up to the last hours, and then not read one by one', async () => {
    const accountId = await anAccount()
    await inAccount(accountId, (tx) => pay(tx, accountId, plain))
    await inAccount(accountId, (tx) => pay(tx, accountId, { ...plain, ago: 20 * DAY }))
    await inAccount(accountId, (tx) => pay(tx, accountId, { ...plain, ago: 0 }))
    await sum(accountId)
    expect((await summedHours(accountId)).map(({ payments }) => payments)).toEqual(['1', '1'])
    // What is not the payments' own shows that it was read from the sums.
    await write(
      database.store,
      'test_falsify',
      `insert into payment_hours select account_id, hour, 'none', asset, decimals, type, status, 40, 1 from payment_hours where account_id = $1`,
      [accountId],
    )
    const { groups } = await inAccount(accountId, (tx) =>
      paymentFigures(tx, accountId, {
        fromMilliseconds: hourOf(Date.now()) - DAY,
        lengthMilliseconds: DAY,
      }),
    )
    expect(groups.reduce((total, { payments }) => total + payments, 0)).toBe(42)
  })

  test.each(['payments_hours_sum', 'payments_hours_heard', 'payments_hours_until'])(
    'a payment that comes late just before %s is not forgotten',
    async (before) => {
      const accountId = await anAccount()
      await inAccount(accountId, (tx) => pay(tx, accountId, plain))
      await inAccount(accountId, async (tx) => {
        const slow: Tx = {
          ...tx,
          query: async (name, text, values) => {
            if (name === before) await inAccount(accountId, (late) => pay(late, accountId, plain))
            return tx.query(name, text, values)
          },
        }
        await sumHours(slow, accountId, { keptDays: 32, hoursMax: 10_000 })
      })
      await expectExact(accountId)
      await sum(accountId)
      await expectExact(accountId)
      expect((await summedHours(accountId)).map(({ payments }) => payments)).toEqual(['2'])
    },
  )

  test('an account whose payments are summed up is left alone until there is more', async () => {
    const accountId = await anAccount()
    const isDue = async () =>
      (
        await inAccount(accountId, (tx) =>
          accountsToSum(tx, { keptDays: 32, countMax: 9, after: '' }),
        )
      ).length
    expect(await isDue()).toBe(0)
    const id = await inAccount(accountId, (tx) =>
      pay(tx, accountId, { ...plain, status: 'pending' }),
    )
    expect(await isDue()).toBe(1)
    await sum(accountId)
    expect(await isDue()).toBe(0)
    await inAccount(accountId, (tx) => move(tx, id, 'settled', 5))
    expect(await isDue()).toBe(1)
    await sum(accountId)
    expect(await isDue()).toBe(0)
    await inAccount(accountId, (tx) => pay(tx, accountId, { ...plain, ago: 60_000 }))
    expect(await isDue()).toBe(0)
  })

  test('of many hours that changed late are summed up again a few at a time', async () => {
    const accountId = await anAccount()
    const ids: PaymentId[] = []
    const now = hourOf(Date.now())
    for (let hours = 5; hours < 15; hours += 1) {
      // In the middle of an hour, so that an hour that ends meanwhile makes no difference.
      const ago = Date.now() - (now - hours * HOUR + HOUR / 2)
      const each = { ...plain, ago, status: 'pending' } as const
      ids.push(await inAccount(accountId, (tx) => pay(tx, accountId, each)))
    }
    await sum(accountId)
    for (const id of ids) await inAccount(accountId, (tx) => move(tx, id, 'settled', 5))
    const noted = async () => {
      const all = 'select distinct hour from payment_hours_late where account_id = $1'
      return (await database.store.query('test_noted', all, [accountId])).length
    }
    expect(await noted()).toBe(10)
    const round = { keptDays: 32, hoursMax: 4 }
    for (const [left, isMore] of [
      [6, true],
      [2, true],
      [0, false],
    ] as const) {
      expect(await inAccount(accountId, (tx) => sumHours(tx, accountId, round))).toBe(isMore)
      expect(await noted()).toBe(left)
      await expectExact(accountId)
    }
  })

  test('a transaction that dies while it sums up leaves the figures as they were', async () => {
    const accountId = await anAccount()
    await inAccount(accountId, (tx) => pay(tx, accountId, plain))
    const died = inAccount(accountId, async (tx) => {
      await sumHours(tx, accountId, { keptDays: 32, hoursMax: 10_000 })
      throw new Error('the process ended')
    })
    await expect(died).rejects.toThrow('the process ended')
    expect(await summedHours(accountId)).toEqual([])
    await expectExact(accountId)
    await sum(accountId)
    expect(await summedHours(accountId)).toHaveLength(1)
    await expectExact(accountId)
  })

  test('nobody but the trigger notes a change, and no account sees the sums of another', async () => {
    const [accountId, stranger] = [await anAccount(), await anAccount()]
    await inAccount(accountId, (tx) => pay(tx, accountId, plain))
    await sum(accountId)
    const seen = (table: string) =>
      inAccount(stranger, (tx) => tx.query(`test_${table}`, `select account_id from ${table}`))
    const tables = [
      'payment_hours',
      'payment_hour_latencies',
      'payment_hours_kept',
      'payment_hours_late',
    ]
    for (const table of tables) {
      expect([table, await seen(table)]).toEqual([table, []])
    }
    const forged = inAccount(accountId, (tx) =>
      tx.query(
        'test_note',
        `insert into payment_hours_late (account_id, hour) values ($1, now())`,
        [accountId],
      ),
    )
    await expect(forged).rejects.toThrow('permission denied')
  })

  test('the bounds that kept sums were made with are the ones in use', () => {
    const digest = createHash('sha256').update(JSON.stringify(latencyBounds)).digest('hex')
    // Other bounds come with a migration that empties payment_hours and payment_hours_kept.
    expect(digest.slice(0, 16)).toBe('0b5df549cfc39232')
  })
})
