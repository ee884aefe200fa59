import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { makeWallet } from '../payments/test-lane.ts'
import { limits } from '../kernel/limits.ts'
import { openListener } from '../store/listen.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { hearing } from '../store/test-hearing.ts'
import { write } from '../store/test-write.ts'
import type { NumberedEvent } from './event.ts'
import { watchOutbox } from './outbox-watch.ts'
import { holdRelay, numberNext, RelayLost, releaseRelay, takeRelay } from './relay-store.ts'
import { GATHER_ON } from './relay.ts'
import type { Relay } from './relay.ts'
import type { OutboxEvent } from './facts.ts'
import { numberByHand, numberedEvents, tell, testRelay } from './test-outbox.ts'

const SOON = { seconds: 30 }

let database: TestDatabase
let relays: Relay[] = []
beforeAll(async () => {
  database = await openTestDatabase()
})
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()))
  relays = []
})
afterAll(() => database.close())

const start = (...[store, parts]: Parameters<typeof testRelay>): Relay => {
  const relay = testRelay(store, parts)
  relays.push(relay)
  return relay
}
const account = async (): Promise<AccountId> => (await makeWallet(database.store)).accountId
const add = (accountId: AccountId, resourceId: string) =>
  database.store.inTransaction(accountId, (tx) => tell(tx, accountId, resourceId))
const told = async (accountId: AccountId) =>
  (await numberedEvents(database.store, accountId)).map(({ sequence, resourceId }) => [
    sequence,
    resourceId,
  ])
const isToldOf = (accountId: AccountId, count: number) =>
  until(`${count} events are numbered`, async () => (await told(accountId)).length === count, SOON)
const numberNow = () => numberByHand(database.store)

const given = (accountId: AccountId, resourceId: string): OutboxEvent => ({
  accountId,
  type: 'verification',
  resourceId,
  data: { valid: true, note: 'ä "quoted" \\ {}' },
})

test('facts that bind nobody are numbered behind those of the outbox, without lying there', async () => {
  const [one, other] = [await account(), await account()]
  await add(one, 'a')
  const announced: NumberedEvent[] = []
  const announce = (events: readonly NumberedEvent[]) => void announced.push(...events)
  const relay = start(database.store, { announce })
  await isToldOf(one, 1)
  await add(one, 'b')
  await relay.number([given(one, 'x'), given(other, 'y'), given(one, 'z')])
  expect(await told(one)).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'x'],
    [4, 'z'],
  ])
  expect(await told(other)).toEqual([[1, 'y']])
  expect(announced.map(({ resourceId }) => resourceId).toSorted()).toEqual([
    ...['a', 'b', 'x', 'y', 'z'],
  ])
  // What is announced is to the letter what is kept.
  const kept = await numberedEvents(database.store, one)
  const heard = announced.filter(({ accountId }) => accountId === one)
  expect(heard).toEqual(kept)
  const waiting = await database.store.query(
    'test_outbox_count',
    'select count(*)::int as count from outbox',
  )
  expect(waiting).toEqual([{ count: 0 }])
  const added = limits.relayGivenMax / 2
  const many = Array.from({ length: added + 1 }, () => given(other, 'm'))
  const first = relay.number(many)
  // There is no room for as many again.
  expect(relay.number(many)).toBeUndefined()
  await first
  expect((await told(other)).length).toBe(1 + many.length)
})

test('facts that bind nobody are not taken by an instance that does not number, and given back by one that ends', async () => {
  const one = await account()
  const holder = start(database.store)
  await until('one numbers', () => holder.isHolding(), SOON)
  const other = start(database.store)
  expect(other.number([given(one, 'x')])).toBeUndefined()
  // The look that comes before numbering takes as long as it likes.
  const waited = holder.number([given(one, 'x')])
  const stopped = holder.stop()
  expect(holder.number([given(one, 'x')])).toBeUndefined()
  const end = await waited?.then(
    () => 'numbered',
    (error: unknown) => error,
  )
  expect(end === 'numbered' || end instanceof RelayLost).toBe(true)
  await stopped
})

test('a fact that cannot be kept is given back, and holds up nothing of the outbox', async () => {
  const one = await account()
  const relay = start(database.store)
  await until('it numbers', () => relay.isHolding(), SOON)
  const bad = given(newId(systemRandom, 'acct'), 'x')
  await add(one, 'a')
  await expect(relay.number([bad])).rejects.toThrow(/foreign key/)
  expect(relay.isHolding()).toBe(true)
  await isToldOf(one, 1)
  await relay.number([given(one, 'y')])
  expect(await told(one)).toEqual([
    [1, 'a'],
    [2, 'y'],
  ])
})

test('a lease that went to another instance is told to whoever gave facts', async () => {
  const one = await account()
  const relay = start(database.store)
  await until('it numbers', () => relay.isHolding(), SOON)
  await database.store.inTransaction('service', (tx) =>
    tx.query('test_steal', "update relays set fence = fence + 1 where name = 'events'"),
  )
  await expect(relay.number([given(one, 'x')])).rejects.toThrow(RelayLost)
  expect(await told(one)).toEqual([])
})

test('the more events were numbered, the longer what lies in the outbox gathers, and what is given waits for none of it', async () => {
  const { millisecondsPerEvent: each, millisecondsMax: most } = GATHER_ON
  const slept: number[] = []
  const sleep: typeof systemClock.sleep = (milliseconds, signal) => {
    slept.push(milliseconds)
    // The longest has no end of its own.
    return systemClock.sleep(milliseconds === most ? 3_600_000 : milliseconds, signal)
  }
  const one = await account()
  const relay = start(database.store, { clock: { ...systemClock, sleep } })
  await until('it numbers', () => relay.isHolding(), SOON)
  const gathersOn = (milliseconds: number) =>
    until(`it gathers for ${milliseconds} ms more`, () => slept.includes(milliseconds), SOON)
  await relay.number([given(one, 'a')])
  await gathersOn(each)
  await relay.number(Array.from({ length: 100 }, () => given(one, 'b')))
  await gathersOn(most)
  await add(one, 'c')
  await relay.number([given(one, 'd')])
  expect((await told(one)).length).toBe(103)
})

test('facts get the numbers 1, 2, 3 of their account in the order in which they were written', async () => {
  const [one, other] = [await account(), await account()]
  for (const [accountId, name] of [
    [one, 'a'],
    [other, 'x'],
    [one, 'b'],
    [one, 'c'],
    [other, 'y'],
  ] as const)
    await add(accountId, name)
  start(database.store)
  await isToldOf(other, 2)
  expect(await told(one)).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ])
  expect(await told(other)).toEqual([
    [1, 'x'],
    [2, 'y'],
  ])
  await add(one, 'd')
  await isToldOf(one, 4)
  expect((await told(one)).at(-1)).toEqual([4, 'd'])
  expect(await database.store.query('test_outbox', 'select 1 from outbox')).toEqual([])
})

test('a fact that waited for another is numbered after it, though its transaction is the older one', async () => {
  const [accountId, bystander] = [await account(), await account()]
  const { store } = database
  const [older, between, late] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ]
  const lock = 'select 1 from accounts where id = $1 for no key update'
  const begun = Promise.withResolvers<void>()
  // It has its transaction id first, and the lock last.
  const second = store.inTransaction('service', async (tx) => {
    await tx.query('test_id', 'select pg_current_xact_id()')
    begun.resolve()
    await older.promise
    await tx.query('test_lock', lock, [accountId])
    await tell(tx, accountId, 'second')
  })
  await begun.promise
  const running = Promise.withResolvers<void>()
  // Still open when both are told, with an id between theirs: a barrier by transaction id would let only the second one through.
  const third = store.inTransaction('service', async (tx) => {
    await tx.query('test_id', 'select pg_current_xact_id()')
    await tell(tx, bystander, 'late')
    running.resolve()
    await late.promise
  })
  await running.promise
  await store.inTransaction('service', async (tx) => {
    await tx.query('test_lock', lock, [accountId])
    await tell(tx, accountId, 'first')
    older.resolve()
    between.resolve()
  })
  await between.promise
  await second
  await numberNow()
  expect(await told(accountId)).toEqual([
    [1, 'first'],
    [2, 'second'],
  ])
  // What was written before them and is seen after them is not lost.
  late.resolve()
  await third
  await numberNow()
  expect(await told(bystander)).toEqual([[1, 'late']])
})

test('who has lost the lease numbers nothing', async () => {
  const accountId = await account()
  await add(accountId, 'a')
  const { store } = database
  const old = await store.inTransaction('service', (tx) => takeRelay(tx, 'old', 0))
  await store.inTransaction('service', (tx) => takeRelay(tx, 'new', 0))
  const numbering = store.inTransaction('service', async (tx) => {
    await holdRelay(tx, old?.fence ?? 0n, 0)
    return numberNext(tx, [newId(systemRandom, 'evt')])
  })
  await expect(numbering).rejects.toThrow(RelayLost)
  expect(await told(accountId)).toEqual([])
  await numberNow()
  expect(await told(accountId)).toEqual([[1, 'a']])
})

test('events are numbered on although the lease was taken by a clock that was set back', async () => {
  const { store } = database
  const take = (owner: string) =>
    store.inTransaction('service', (tx) => takeRelay(tx, owner, 1_000))
  const old = await take('old')
  expect(await take('new')).toBeUndefined()
  await write(store, 'test_set_back', `update relays set lease_until = now() + interval '5 hours'`)
  expect(await take('new')).toEqual({ fence: (old?.fence ?? 0n) + 1n })
  await store.inTransaction('service', (tx) => releaseRelay(tx, 'new'))
})

test('an event is numbered with all that follows from it, or not at all', async () => {
  const accountId = await account()
  await add(accountId, 'a')
  let isBroken = true
  const tries: number[] = []
  const announced: number[] = []
  start(database.store, {
    onNumbered: [
      async (tx, events) => {
        tries.push(events.length)
        await tx.query('test_follow', `update accounts set name = 'followed' where id = $1`, [
          accountId,
        ])
        if (isBroken) throw new Error('cannot follow')
      },
    ],
    announce: (events) => void announced.push(...events.map(({ sequence }) => sequence)),
  })
  await until('it was tried twice', () => tries.length >= 2, SOON)
  const name = async () =>
    (
      await database.store.query('test_name', 'select name from accounts where id = $1', [
        accountId,
      ])
    )[0]
  expect([await told(accountId), announced, await name()]).toEqual([[], [], { name: 'test' }])
  isBroken = false
  await isToldOf(accountId, 1)
  await until('it is announced', () => announced.length === 1, SOON)
  expect(await name()).toEqual({ name: 'followed' })
})

test('one instance numbers at a time; when it leaves, another goes on', async () => {
  const accountId = await account()
  const first = start(database.store, { instance: 'first' })
  await until('the first holds the lease', () => first.isHolding(), SOON)
  const second = start(database.store, { instance: 'second' })
  await add(accountId, 'a')
  await isToldOf(accountId, 1)
  expect(second.isHolding()).toBe(false)
  await first.stop()
  await add(accountId, 'b')
  await isToldOf(accountId, 2)
  expect(second.isHolding()).toBe(true)
})

test('a commit of an instance that does not number wakes the one that does', async () => {
  const accountId = await account()
  const listener = openListener({
    url: database.url,
    clock: systemClock,
    log: openLog('silent'),
  })
  // The slow timer of this one never comes.
  const patient = {
    ...systemClock,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      systemClock.sleep(milliseconds >= 500 ? 3_600_000 : milliseconds, signal),
  }
  try {
    const holder = start(database.store, { instance: 'first', listener, clock: patient })
    await until('it holds the lease', () => holder.isHolding(), SOON)
    const watched = watchOutbox(database.store, () => other.wake())
    const other = start(watched, { instance: 'second' })
    for (let count = 1; count <= 5; count += 1) {
      await watched.inTransaction('service', (tx) => tell(tx, accountId, `${count}`))
      await isToldOf(accountId, count)
    }
  } finally {
    await Promise.all(relays.map((relay) => relay.stop()))
    await listener.stop()
  }
})

test('all that waits is numbered by one statement, however much it is', async () => {
  const accountId = await account()
  for (let count = 0; count < 40; count += 1) await add(accountId, `${count}`)
  const { store } = database
  let numberings = 0
  start(
    hearing(store, (name) => {
      if (name === 'relay_number') numberings += 1
      return undefined
    }),
  )
  await isToldOf(accountId, 40)
  expect(numberings).toBe(1)
})
