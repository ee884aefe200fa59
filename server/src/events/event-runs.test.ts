import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountId } from '../kernel/id.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { idAfter } from '../kernel/successive-id.ts'
import { makeWallet } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { eventsAfter, forgetEvents, idOf, sequenceOf } from './event-store.ts'
import type { OutboxEvent } from './facts.ts'
import { addToOutbox } from './store.ts'
import { numberByHand, numberedEvents } from './test-outbox.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const account = async (): Promise<AccountId> => (await makeWallet(database.store)).accountId
const fact = (accountId: AccountId, resourceId: string): OutboxEvent => ({
  ...{ accountId, type: 'payment', resourceId, data: { of: resourceId } },
})
const add = (...facts: readonly OutboxEvent[]) =>
  database.store.inTransaction('service', (tx) => addToOutbox(tx, facts, 1_790_000_000_000))
const rows = async () => {
  const [row] = await database.store.query<{ count: number }>(
    'test_rows',
    'select count(*)::int as count from outbox',
  )
  return row?.count
}
const number = (rowsMax?: number) => numberByHand(database.store, rowsMax)

/** An account with runs of these lengths, all numbered: its events are named 1, 2, 3 and so on. */
async function withRuns(lengths: readonly number[]): Promise<AccountId> {
  const accountId = await account()
  let last = 0
  for (const length of lengths) {
    await add(...Array.from({ length }, (_, index) => fact(accountId, `${last + index + 1}`)))
    last += length
    await number()
  }
  return accountId
}

const store = () => database.store

test('facts of one account and one transaction are one row, and those of several are told apart', async () => {
  const [one, other] = [await account(), await account()]
  await add(fact(one, 'a'), fact(other, 'x'), fact(one, 'b'), fact(other, 'y'), fact(one, 'c'))
  expect(await rows()).toBe(2)
  const { events, isEmptied } = await number()
  expect([await rows(), isEmptied]).toEqual([0, true])
  for (const [accountId, names] of [
    [one, ['a', 'b', 'c']],
    [other, ['x', 'y']],
  ] as const) {
    const kept = await numberedEvents(database.store, accountId)
    expect(kept.map(({ sequence, resourceId }) => [sequence, resourceId])).toEqual(
      names.map((name, index) => [index + 1, name]),
    )
    // What is announced is to the letter what is kept.
    expect(events.filter((event) => event.accountId === accountId)).toEqual(kept)
    expect(kept.map(({ dataText }) => dataText)).toEqual(names.map((name) => `{"of":"${name}"}`))
  }
})

test('any page of any length is what it is of the whole, wherever runs begin and end', async () => {
  const accountId = await withRuns([1, 3, 128, 1, 1, 40, 7])
  await withRuns([5])
  const all = await numberedEvents(database.store, accountId)
  expect(all.map(({ sequence, resourceId }) => [sequence, resourceId])).toEqual(
    Array.from({ length: 181 }, (_, index) => [index + 1, `${index + 1}`]),
  )
  expect(new Set(all.map(({ id }) => id)).size).toBe(181)
  for (const count of [1, 2, 100, 500]) {
    for (let after = 0; after <= 182; after += 1) {
      const page = await eventsAfter(store(), accountId, after, count)
      expect(page, `${count} after ${after}`).toEqual(all.slice(after, after + count))
    }
  }
})

test('an id says its number and a number its id, and neither says anything of others', async () => {
  const accountId = await withRuns([2, 128, 1, 3])
  const other = await withRuns([3])
  const all = await numberedEvents(database.store, accountId)
  for (const { sequence, id } of all) {
    expect(await sequenceOf(store(), accountId, id)).toBe(sequence)
    expect(await sequenceOf(store(), other, id)).toBeUndefined()
    expect(await idOf(store(), accountId, sequence)).toBe(id)
  }
  expect(await idOf(store(), accountId, 135)).toBeUndefined()
  for (const id of [newId(systemRandom, 'evt'), `evt_${'1'.repeat(22)}`, `evt_${'z'.repeat(22)}`]) {
    expect(await sequenceOf(store(), accountId, id)).toBeUndefined()
  }
  // Nobody's, between two runs and behind the last.
  for (const { id } of [2, 130, 131, 134].flatMap((at) => all.slice(at - 1, at))) {
    expect(await sequenceOf(store(), accountId, idAfter(id, 1))).toBeUndefined()
  }
  for (const id of ['', 'x', 'evt_', 'pay_1111111111111111111111', '\u0000']) {
    expect(await sequenceOf(store(), accountId, id)).toBeUndefined()
  }
})

test('pages begin behind what is no longer kept, however much that was', async () => {
  const accountId = await withRuns([128, 128, 3, 2])
  const all = await numberedEvents(database.store, accountId)
  const forget = async (count: number) => {
    // By their age, so the runs of all other accounts here go before.
    let left = count
    while (left > 0) {
      const before = (await numberedEvents(database.store, accountId)).length
      await store().inTransaction('service', (tx) => forgetEvents(tx, Date.now() + 60_000, 1))
      if ((await numberedEvents(database.store, accountId)).length < before) left -= 1
    }
  }
  await forget(2)
  const kept = all.slice(256)
  for (const [after, count] of [
    [0, 1],
    [0, 100],
    [255, 2],
    [256, 2],
    [257, 500],
  ] as const) {
    const from = Math.max(after, 256) - 256
    expect(await eventsAfter(store(), accountId, after, count)).toEqual(
      kept.slice(from, from + count),
    )
  }
  expect(await idOf(store(), accountId, 256)).toBeUndefined()
  expect(await idOf(store(), accountId, 257)).toBe(kept[0]?.id)
  expect(await sequenceOf(store(), accountId, all[255]?.id ?? '')).toBeUndefined()
  await forget(1)
  expect(await eventsAfter(store(), accountId, 0, 100)).toEqual(kept.slice(3))
})

test('whoever has the last event of an account goes on after it, however long ago that was', async () => {
  const accountId = await withRuns([3, 2])
  const all = await numberedEvents(database.store, accountId)
  await store().inTransaction('service', (tx) => forgetEvents(tx, Date.now() + 60_000, 1_000_000))
  const last = all.at(-1)
  expect(await sequenceOf(store(), accountId, last?.id ?? '')).toBe(5)
  expect(await idOf(store(), accountId, 5)).toBe(last?.id)
  expect(await eventsAfter(store(), accountId, 5, 10)).toEqual([])
  // What came before it is kept no longer, and goes with what comes.
  expect(await sequenceOf(store(), accountId, all[2]?.id ?? '')).toBeUndefined()
  await add(fact(accountId, 'later'))
  await number()
  await store().inTransaction('service', (tx) => forgetEvents(tx, Date.now() + 60_000, 1_000_000))
  const left = await numberedEvents(database.store, accountId)
  expect(left.map(({ resourceId }) => resourceId)).toEqual(['later'])
})

test('more facts than a row holds are several rows, and one numbering takes no more than its limit and a row', async () => {
  const accountId = await account()
  const count = limits.relayBatchMax * 2
  await add(...Array.from({ length: count }, (_, index) => fact(accountId, `${index + 1}`)))
  expect(await rows()).toBe(Math.ceil(count / limits.eventsPerRunMax))
  const first = await number()
  expect(first.isEmptied).toBe(false)
  expect(first.events.length).toBeGreaterThanOrEqual(limits.relayBatchMax)
  expect(first.events.length).toBeLessThan(limits.relayBatchMax + limits.eventsPerRunMax)
  expect((await number(1)).isEmptied).toBe(false)
  while (!(await number()).isEmptied);
  expect(await rows()).toBe(0)
  const told = await numberedEvents(database.store, accountId)
  expect(told.map(({ resourceId }) => resourceId)).toEqual(
    Array.from({ length: count }, (_, index) => `${index + 1}`),
  )
})

test('runs that are numbered together are kept in the order of their numbers', async () => {
  const [one, other] = [await account(), await account()]
  for (let count = 0; count < 30; count += 1) await add(fact(one, 'a'), fact(other, 'x'))
  await number(100)
  const ages = await database.store.query<{ is_ordered: boolean }>(
    'test_ages',
    `select bool_and(numbered_at > before) as is_ordered from (
       select numbered_at, lag(numbered_at) over (partition by account_id order by last_sequence) as before
       from event_runs where account_id = any($1)) as aged`,
    [[one, other]],
  )
  expect(ages).toEqual([{ is_ordered: true }])
})

test('so many events go at once, and the rest of a run', async () => {
  await store().inTransaction('service', (tx) => forgetEvents(tx, Date.now() + 60_000, 1_000_000))
  const accountId = await withRuns([5, 5, 5, 5])
  const forget = (count: number) =>
    store().inTransaction('service', (tx) => forgetEvents(tx, Date.now() + 60_000, count))
  expect(await forget(6)).toBe(10)
  expect(await numberedEvents(database.store, accountId)).toHaveLength(10)
})

test('a run that says another number of facts than it holds is not read', async () => {
  const accountId = await withRuns([2])
  await database.store.inTransaction('service', async (tx) => {
    await tx.query(
      'test_other',
      `insert into event_runs (account_id, last_sequence, count, first_id, facts, created_at)
       select account_id, 5, 3, 'evt_' || repeat('1', 22), facts, created_at from event_runs where account_id = $1`,
      [accountId],
    )
  })
  await expect(eventsAfter(store(), accountId, 2, 10)).rejects.toThrow(/another number of facts/)
})

test('facts of a database that knew one row for each of them are read as they were', async () => {
  const accountId = await account()
  await database.store.inTransaction('service', (tx) =>
    tx.query(
      'test_old',
      `insert into event_runs (account_id, last_sequence, count, first_id, facts, created_at)
       values ($1, 1, 1, 'evt_zzzzzzzzzzzzzzzzzzzzzz', '{"type":"refund","resourceId":"r","data":{"a": 1}}', now())`,
      [accountId],
    ),
  )
  const [event] = await eventsAfter(store(), accountId, 0, 10)
  expect(event).toMatchObject({ type: 'refund', channel: 'refund', dataText: '{"a": 1}' })
  expect(await sequenceOf(store(), accountId, 'evt_zzzzzzzzzzzzzzzzzzzzzz')).toBe(1)
})
