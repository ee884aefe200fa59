import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import { addToOutbox } from '../events/store.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import type { Store } from '../store/postgres.ts'
import { takeGivingTurn } from './giving-store.ts'
import { createWebhook } from './manage.ts'
import { startGiving } from './start-giving.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'

const SOON = { seconds: 60 }
let room: TestWebhooks
beforeAll(async () => {
  room = await openTestWebhooks({ givesOut: false })
})
afterAll(() => room.close())

/** Facts of an account, each so long that it is a step of its own. */
async function tellLong(accountId: AccountId, count: number): Promise<void> {
  const note = 'x'.repeat(limits.webhookGivenCharactersMax)
  await createWebhook(room.deps, {
    ...{ accountId, actor: SYSTEM, plan: 'enterprise', key: undefined },
    ...{ url: 'http://127.0.0.1:9/', description: null, types: [], enabled: true },
  })
  const facts = Array.from({ length: count }, (_, n) => ({
    ...({ accountId, type: 'payment', resourceId: `pay_${n}`, data: { note } } as const),
  }))
  await room.database.store.inTransaction(accountId, (tx) =>
    addToOutbox(tx, facts, systemClock.nowMilliseconds()),
  )
}

const query = <Row extends object>(name: string, text: string, values: readonly unknown[]) =>
  room.database.store.inTransaction('service', (tx) => tx.query<Row>(name, text, values))

async function countOf(table: string, accountIds: readonly AccountId[]): Promise<number> {
  const [row] = await query<{ count: number }>(
    `test_count_${table}`,
    `select count(*)::int as count from ${table} where account_id = any($1)`,
    [accountIds],
  )
  return row?.count ?? 0
}

/** Gives out until these have been given what waits. */
async function give(
  parts: { readonly store: Store; readonly clock?: Clock },
  accountIds: readonly AccountId[],
): Promise<void> {
  const listener = { onChanged: () => () => undefined, stop: async () => undefined }
  const beside = { listener, log: openLog('silent'), random: systemRandom }
  const giving = startGiving({ clock: systemClock, ...beside, ...parts })
  try {
    await until(
      'all is given out',
      async () => (await countOf('webhook_givings', accountIds)) === 0,
      SOON,
    )
  } finally {
    await giving.stop()
  }
}

/** Whose turn it was, delivery by delivery. */
async function turnsOf(accountIds: readonly AccountId[]): Promise<readonly AccountId[]> {
  const rows = await query<{ account_id: AccountId }>(
    'test_turns',
    'select account_id from webhook_deliveries where account_id = any($1) order by position',
    [accountIds],
  )
  return rows.map((row) => row.account_id)
}

test('an account whose events cannot be given out holds nobody else up, and is given them once they can be', async () => {
  const ids = (await Promise.all(Array.from({ length: 4 }, () => room.newAccount()))).toSorted()
  const [good, broken, ...others] = ids
  if (good === undefined || broken === undefined) throw new Error('there are no accounts')
  for (const accountId of ids) await tellLong(accountId, 1)
  await until('they are numbered', async () => (await countOf('webhook_givings', ids)) === 4, SOON)
  const [kept] = await query<{ webhooks: object }>(
    'test_kept',
    'select webhooks from webhook_givings where account_id = $1',
    [broken],
  )
  const put = (webhooks: unknown) =>
    query('test_put', 'update webhook_givings set webhooks = $2 where account_id = $1', [
      broken,
      JSON.stringify(webhooks),
    ])
  await put(null)
  const { store } = room.database
  // It looks again at once.
  const clock: Clock = { ...systemClock, sleep: () => systemClock.sleep(1) }
  await give({ store, clock }, [good, ...others])
  expect(await countOf('webhook_givings', ids)).toBe(1)
  await put(kept?.webhooks)
  await give({ store, clock }, ids)
  expect((await turnsOf(ids)).toSorted()).toEqual(ids)
})

test('an instance that finds another giving out goes on behind the account that it gave last, not with the first', async () => {
  const ids = [await room.newAccount(), await room.newAccount()].toSorted()
  const [first, second] = ids
  if (first === undefined || second === undefined) throw new Error('there are no accounts')
  await tellLong(first, 3)
  await tellLong(second, 1)
  await until('they are numbered', async () => (await countOf('webhook_givings', ids)) === 2, SOON)
  const { store } = room.database
  let steps = 0
  let waits = 0
  await give(
    {
      store: {
        ...store,
        inTransaction: async (scope, work) => {
          steps += 1
          if (steps !== 2) return store.inTransaction(scope, work)
          return store.inTransaction('service', async (other) => {
            expect(await takeGivingTurn(other)).toBe(true)
            return store.inTransaction(scope, work)
          })
        },
      },
      clock: {
        ...systemClock,
        // The other says that it is done.
        sleep: async (milliseconds, signal) => {
          waits += 1
          if (waits > 1) await systemClock.sleep(milliseconds, signal)
        },
      },
    },
    ids,
  )
  expect(await turnsOf(ids)).toEqual([first, second, first, first])
})
