import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../audit/entry.ts'
import { addToOutbox } from '../events/store.ts'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId, WebhookId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import type { Store } from '../store/postgres.ts'
import { hearing } from '../store/test-hearing.ts'
import { giveOut } from './give-out.ts'
import { givingFigures } from './giving-store.ts'
import { changeWebhook, createWebhook, removeWebhook } from './manage.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'
import type { WebhookTerms } from './store.ts'

const SOON = { seconds: 60 }
let room: TestWebhooks
beforeAll(async () => {
  room = await openTestWebhooks({ givesOut: false })
})
afterAll(() => room.close())

async function create(accountId: AccountId, types: WebhookTerms['types'] = []) {
  const { webhook } = await createWebhook(room.deps, {
    ...{ accountId, actor: SYSTEM, plan: 'enterprise', key: undefined },
    ...{ url: 'http://127.0.0.1:9/', description: null, types, enabled: true },
  })
  return { accountId, webhookId: webhook.id, actor: SYSTEM }
}
const createMany = (accountId: AccountId, count: number) =>
  Promise.all(Array.from({ length: count }, () => create(accountId)))

/** Writes facts in one transaction, and waits until they are numbered. */
async function number(accountId: AccountId, ...names: readonly string[]): Promise<void> {
  const before = await lastOf(accountId)
  await room.tellAtOnce(accountId, names)
  await until(
    'they are numbered',
    async () => (await lastOf(accountId)) === before + names.length,
    {
      ...SOON,
    },
  )
}

async function lastOf(accountId: AccountId): Promise<number> {
  const rows = await room.database.store.inTransaction(accountId, (tx) =>
    tx.query<{ sequence: string }>(
      'test_last',
      'select sequence from event_sequences where account_id = $1',
      [accountId],
    ),
  )
  return Number(rows[0]?.sequence ?? 0)
}

const step = (store: Store = room.database.store, after = '') =>
  store.inTransaction('service', (tx) => giveOut(tx, systemRandom, after))

/** Steps until nothing waits, or another gives out. How many there were. */
async function giveAll(store: Store = room.database.store): Promise<number> {
  let after = ''
  for (let steps = 1; ; steps += 1) {
    const given = await step(store, after)
    if (given === undefined || given.next === null) return steps
    expect(given.missing).toBe(0)
    after = given.next
  }
}

const query = <Row extends object>(name: string, text: string, values: readonly unknown[] = []) =>
  room.database.store.inTransaction('service', (tx) => tx.query<Row>(name, text, values))

/** What was given out to an endpoint: the resource of each event, in the order of the queue. */
async function givenTo({ webhookId }: { webhookId: WebhookId }): Promise<readonly string[]> {
  const rows = await query<{ lane: string }>(
    'test_given',
    'select lane from webhook_deliveries where webhook_id = $1 order by position',
    [webhookId],
  )
  return rows.map(({ lane }) => lane)
}
const names = (count: number) => Array.from({ length: count }, (_, n) => `pay_${n}`)

test('however many endpoints an account has, numbering its events notes one row, and makes no delivery', async () => {
  const accountId = await room.newAccount()
  const endpoints = await createMany(accountId, limits.webhooksEnterpriseMax)
  await number(accountId, ...names(20))
  const counted = (table: string) =>
    query(`test_${table}`, `select count(*)::int as count from ${table} where account_id = $1`, [
      accountId,
    ])
  expect(await counted('webhook_givings')).toEqual([{ count: 1 }])
  expect(await counted('webhook_deliveries')).toEqual([{ count: 0 }])
  expect(await room.database.store.inTransaction('service', givingFigures)).toMatchObject({
    waiting: 20,
    oldestAtMilliseconds: expect.any(Number),
  })
  // No step is longer than its bound and one event, and nothing is left.
  expect(await giveAll()).toBeGreaterThan(
    (20 * endpoints.length) / (limits.webhookGivenPerStepMax + endpoints.length),
  )
  for (const endpoint of endpoints) expect(await givenTo(endpoint)).toEqual(names(20))
  expect(await room.database.store.inTransaction('service', givingFigures)).toEqual({
    waiting: 0,
    oldestAtMilliseconds: null,
  })
})

test('a step that dies at any of its statements is as if it had not begun, and the next gives out the same', async () => {
  const accountId = await room.newAccount()
  const endpoints = await createMany(accountId, 3)
  const { store } = room.database
  const said: string[] = []
  await number(accountId, ...names(2))
  await giveAll(hearing(store, (name) => void said.push(name)))
  expect(said).toEqual(expect.arrayContaining(['delivery_insert', 'giving_end']))
  await number(accountId, ...names(2))
  for (const dies of new Set(said)) {
    const dying = hearing(store, (name) => (name === dies ? new Error('dies here') : undefined))
    await expect(step(dying)).rejects.toThrow(/dies here|step of giving out failed/)
  }
  for (const endpoint of endpoints) expect(await givenTo(endpoint)).toHaveLength(2)
  await giveAll()
  for (const endpoint of endpoints)
    expect(await givenTo(endpoint)).toEqual([...names(2), ...names(2)])
})

test('instances that give out at once give each event to each endpoint once, in order', async () => {
  const accountId = await room.newAccount()
  const endpoints = await createMany(accountId, 20)
  const others = await Promise.all(
    Array.from({ length: 3 }, async () => create(await room.newAccount())),
  )
  let isOver = false
  const instance = async () => {
    while (!isOver) await giveAll()
  }
  const instances = [instance(), instance(), instance()]
  for (let round = 0; round < 3; round += 1) {
    await number(accountId, ...Array.from({ length: 30 }, (_, n) => `pay_${round * 30 + n}`))
    for (const other of others) await number(other.accountId, `pay_${round}`)
  }
  isOver = true
  await Promise.all(instances)
  await giveAll()
  for (const endpoint of endpoints) expect(await givenTo(endpoint)).toEqual(names(90))
  for (const other of others) expect(await givenTo(other)).toEqual(names(3))
})

test('what an endpoint is given is decided when events are numbered, whatever becomes of it until they are given out', async () => {
  const accountId = await room.newAccount()
  const [narrowed, widened, off, deleted] = [
    await create(accountId),
    await create(accountId, ['settlement']),
    await create(accountId),
    await create(accountId),
  ]
  await number(accountId, 'first')
  const late = await create(accountId)
  await changeWebhook(room.deps, narrowed, { types: ['settlement'] })
  await changeWebhook(room.deps, widened, { types: [] })
  await changeWebhook(room.deps, off, { enabled: false })
  await removeWebhook(room.deps, deleted)
  await number(accountId, 'second')
  await changeWebhook(room.deps, off, { enabled: true })
  await number(accountId, 'third')
  await giveAll()
  expect(await Promise.all([narrowed, widened, off, deleted, late].map(givenTo))).toEqual([
    ['first'],
    ['second', 'third'],
    ['first', 'third'],
    [],
    ['second', 'third'],
  ])
})

test('of events that were numbered together an endpoint is given those of its types', async () => {
  const accountId = await room.newAccount()
  const [all, some, none] = [
    await create(accountId),
    await create(accountId, ['settlement', 'webhook']),
    await create(accountId, ['webhook']),
  ]
  const facts = (['payment', 'settlement', 'payment', 'settlement'] as const).map((type, n) => ({
    ...{ accountId, type, resourceId: `${type} ${n}`, data: {} },
  }))
  await room.database.store.inTransaction(accountId, (tx) =>
    addToOutbox(tx, facts, systemClock.nowMilliseconds()),
  )
  await until('they are numbered', async () => (await lastOf(accountId)) === facts.length, SOON)
  await giveAll()
  const names = facts.map(({ resourceId }) => resourceId)
  expect(await Promise.all([all, some, none].map(givenTo))).toEqual([
    names,
    ['settlement 1', 'settlement 3'],
    [],
  ])
})

test.each(['behind', 'before'])(
  'an account with much to be given out holds one %s it up for one step, and each step is bounded',
  async (where) => {
    const ids = [await room.newAccount(), await room.newAccount()] as const
    const isSorted = ids[0] < ids[1]
    const [busy, quiet] = isSorted === (where === 'behind') ? ids : [ids[1], ids[0]]
    const endpoints = await createMany(busy, limits.webhooksEnterpriseMax)
    const other = await create(quiet)
    await number(busy, ...names(40))
    const first = await step()
    await number(quiet, 'pay_0')
    await step(undefined, first?.next ?? '')
    expect(await givenTo(other)).toEqual(['pay_0'])
    const [row] = await query<{ count: number }>(
      'test_busy',
      'select count(*)::int as count from webhook_deliveries where account_id = $1',
      [busy],
    )
    expect(row?.count).toBeLessThanOrEqual(2 * (limits.webhookGivenPerStepMax + endpoints.length))
    await giveAll()
    for (const endpoint of endpoints) expect(await givenTo(endpoint)).toEqual(names(40))
  },
)

test('a step of long events ends before the one that would make it too long, and has one however long it is', async () => {
  const [one, other] = [await room.newAccount(), await room.newAccount()].toSorted()
  if (one === undefined || other === undefined) throw new Error('there are no accounts')
  const endpoints = await createMany(one, 30)
  const behind = await create(other)
  // For all endpoints one of them is too long for a step.
  const note = 'x'.repeat(limits.webhookGivenCharactersMax / 20)
  const facts = names(3).map((resourceId) => ({
    ...({ accountId: one, type: 'payment', resourceId, data: { note } } as const),
  }))
  await room.database.store.inTransaction(one, (tx) =>
    addToOutbox(tx, facts, systemClock.nowMilliseconds()),
  )
  await until('they are numbered', async () => (await lastOf(one)) === facts.length, SOON)
  await number(other, 'pay_0')
  const given = () => Promise.all([...endpoints.slice(0, 1), behind].map(givenTo))
  expect(await step()).toEqual({ next: one, missing: 0 })
  expect(await given()).toEqual([names(1), []])
  await step(undefined, one)
  expect(await given()).toEqual([names(1), ['pay_0']])
  await giveAll()
  for (const endpoint of endpoints) expect(await givenTo(endpoint)).toEqual(names(3))
})

test('what many accounts were told of one by one is given out in one step, as if it had been numbered at once', async () => {
  const accountIds = await Promise.all(Array.from({ length: 20 }, () => room.newAccount()))
  const endpoints = await Promise.all(accountIds.map((accountId) => create(accountId)))
  for (const resourceId of names(3)) {
    const before = await Promise.all(accountIds.map(lastOf))
    await room.database.store.inTransaction('service', (tx) =>
      addToOutbox(
        tx,
        accountIds.map((accountId) => ({
          ...({ accountId, type: 'payment', resourceId, data: {} } as const),
        })),
        systemClock.nowMilliseconds(),
      ),
    )
    const areNumbered = async () => {
      const last = await Promise.all(accountIds.map(lastOf))
      return last.every((sequence, n) => sequence === (before[n] ?? 0) + 1)
    }
    await until('they are numbered', areNumbered, SOON)
  }
  await step()
  for (const endpoint of endpoints) expect(await givenTo(endpoint)).toEqual(names(3))
})

test('a step reads of the events as much as it gives out and one run at most, however many accounts share it', async () => {
  const accountIds = await Promise.all(Array.from({ length: 6 }, () => room.newAccount()))
  const endpoints = await Promise.all(accountIds.map((accountId) => create(accountId)))
  const note = 'x'.repeat(limits.webhookGivenCharactersMax / 2)
  await room.database.store.inTransaction('service', (tx) =>
    addToOutbox(
      tx,
      accountIds.map((accountId) => ({
        ...({ accountId, type: 'payment', resourceId: 'pay_0', data: { note } } as const),
      })),
      systemClock.nowMilliseconds(),
    ),
  )
  for (const accountId of accountIds) {
    await until('it is numbered', async () => (await lastOf(accountId)) === 1, SOON)
  }
  let readCharacters = 0
  const { store } = room.database
  const measuring: Store = {
    ...store,
    inTransaction: (scope, work) =>
      store.inTransaction(scope, (tx) =>
        work({
          query: async <Row extends object>(
            name: string,
            ...rest: [string, (readonly unknown[])?]
          ) => {
            const rows = await tx.query<Row>(name, ...rest)
            if (name === 'events_of_ranges') readCharacters += JSON.stringify(rows).length
            return rows
          },
        }),
      ),
  }
  await step(measuring)
  expect(readCharacters).toBeLessThan(2 * limits.webhookGivenCharactersMax)
  // What was not read is no event that is gone.
  await giveAll()
  for (const endpoint of endpoints) expect(await givenTo(endpoint)).toEqual(['pay_0'])
})

test('events that are gone are counted and hold up nothing behind them', async () => {
  const accountId = await room.newAccount()
  const endpoint = await create(accountId)
  await query(
    'test_gone',
    `insert into webhook_givings (account_id, given_sequence, last_sequence, webhooks)
     select account_id, -5, -2, json_build_array(json_build_object('id', id, 'types', types)) from webhooks where id = $1`,
    [endpoint.webhookId],
  )
  await number(accountId, 'pay_0')
  expect(await step()).toEqual({ next: accountId, missing: 3 })
  await giveAll()
  expect(await givenTo(endpoint)).toEqual(['pay_0'])
})
