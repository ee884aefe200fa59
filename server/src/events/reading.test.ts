import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemClock } from '../kernel/clock.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { forgetEvents } from './event-store.ts'
import { openTestEvents, openTestSocket } from './test-event-service.ts'
import type { TestEvents, TestInstance, TestKey } from './test-event-service.ts'
import { numberedEvents } from './test-outbox.ts'
import { forgetTickets } from './ticket-store.ts'
import { openTickets } from './ticket.ts'

const SOON = { seconds: 30 }

let world: TestEvents
let service: TestInstance
beforeAll(async () => {
  world = await openTestEvents()
  service = await world.start()
})
afterAll(() => world.close())

const ask = (key: TestKey, path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${key.text}`, ...headers } })
const fieldOf = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

/** A key of an account that was told so many facts, n1 and so on; and their ids. */
async function withEvents(count: number) {
  const key = await world.aKey('premium')
  await service.tell(key.accountId, ...Array.from({ length: count }, (_, index) => `n${index + 1}`))
  const ids = await until(
    'all are numbered',
    async () => {
      const events = await numberedEvents(world.database.store, key.accountId)
      return events.length === count && events.map(({ id }) => id)
    },
    SOON,
  )
  return { key, ids }
}

/** Reads a stream until the condition holds for what has come, and gives it up. */
async function streamUntil(answer: Response, enough: (text: string) => boolean): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk)
    if (enough(text)) break
  }
  return text
}

test('pages follow each other by nextAfter and end where nothing more has happened', async () => {
  const { key, ids } = await withEvents(5)
  const seen: unknown[] = []
  let after = ''
  let hasMore: unknown = true
  let pages = 0
  while (hasMore === true) {
    const body: unknown = await (await ask(key, `/events?limit=2${after}`)).json()
    const events = fieldOf(body, 'events')
    if (!Array.isArray(events)) throw new Error('no events')
    seen.push(...events.map((event) => fieldOf(event, 'id')))
    after = `&after=${String(fieldOf(body, 'nextAfter'))}`
    hasMore = fieldOf(body, 'hasMore')
    pages += 1
  }
  expect([seen, pages]).toEqual([ids, 3])
  const last = await (await ask(key, `/events?limit=2${after}`)).json()
  expect(last).toMatchObject({ events: [], hasMore: false, nextAfter: ids.at(-1) })
  const none = await (await ask(await world.aKey(), '/events')).json()
  expect(none).toMatchObject({ events: [], hasMore: false, nextAfter: null })
})

test('a cursor of nobody, of another account and of long ago is refused by name', async () => {
  const { key } = await withEvents(1)
  const { ids } = await withEvents(1)
  for (const after of [newId(systemRandom, 'evt'), ids[0], 'x']) {
    const answer = await ask(key, `/events?after=${after}`)
    const error = fieldOf(await answer.json(), 'error')
    expect([answer.status, fieldOf(error, 'code')]).toEqual([400, 'INVALID_PARAMETERS'])
    expect(Object.keys(Object(fieldOf(error, 'details')))).toEqual(['after'])
    expect((await ask(key, `/events/stream?after=${after}`)).status).toBe(400)
  }
})

test('a stream goes on after Last-Event-ID, and then tells what happens', async () => {
  const { key, ids } = await withEvents(3)
  const stream = await ask(key, `/events/stream?after=${ids[0]}`, { 'last-event-id': `${ids[1]}` })
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(stream.headers.get('x-ratelimit-limit')).toBe('1000')
  await service.tell(key.accountId, 'n4')
  const text = await streamUntil(stream, (so) => so.includes('"n4"'))
  const names = [...text.matchAll(/"name":"(n\d)"/g)].map(([, name]) => name)
  expect(names).toEqual(['n3', 'n4'])
  expect(text).toMatch(new RegExp(`id: ${ids[2]}\nevent: payment\ndata: {"id":"${ids[2]}"`))
})

test('a stream whose address says something unknown, nothing or twice does not begin', async () => {
  const { key, ids } = await withEvents(1)
  const asked = {
    'key=payments': { key: 'unknown field' },
    'limit=1': { limit: 'unknown field' },
    'after=': { after: 'must not be empty' },
    'keys=': { keys: 'must not be empty' },
    [`after=${ids[0]}&after=${ids[0]}`]: { after: 'must be given once' },
  }
  for (const [query, details] of Object.entries(asked)) {
    const answer = await ask(key, `/events/stream?${query}`)
    // A stream that began has no end to wait for.
    if (answer.ok) await answer.body?.cancel()
    expect([query, answer.status]).toEqual([query, 400])
    const error = fieldOf(await answer.json(), 'error')
    expect(error).toMatchObject({ code: 'INVALID_PARAMETERS', details })
  }
})

test('a stream has no head to ask for, and says so', async () => {
  for (const method of ['HEAD', 'POST']) {
    const answer = await fetch(`${service.url}/api/events/stream`, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  }
})

test('a stream that has heard nothing yet is told where it stands, and can go on from there', async () => {
  const { key, ids } = await withEvents(1)
  const standing = async (who: TestKey) => {
    const text = await streamUntil(await ask(who, '/events/stream'), (so) => so.includes('\n\n'))
    return /^id: (.+)$/m.exec(text)?.[1] ?? 'nowhere'
  }
  expect(await standing(key)).toBe(ids[0])
  const fresh = await world.aKey()
  for (const who of [key, fresh]) {
    const place = await standing(who)
    await service.tell(who.accountId, 'missed', 'too')
    await until(
      'they are there',
      async () => (await numberedEvents(world.database.store, who.accountId)).length > 1,
      SOON,
    )
    const stream = await ask(who, '/events/stream', { 'last-event-id': place })
    const text = await streamUntil(stream, (so) => so.includes('"too"'))
    const names = [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name)
    expect(names).toEqual(['missed', 'too'])
  }
})

test('a stream counts as a connection, and asks for a key with the scope read', async () => {
  const key = await world.aKey()
  const open = await Promise.all(
    Array.from({ length: 5 }, () => openTestSocket(service.socketUrl, { key: key.text })),
  )
  await Promise.all(open.map((socket) => socket.next('authenticated')))
  expect((await ask(key, '/events/stream')).status).toBe(429)
  for (const { socket } of open) socket.terminate()
  const writer = await world.aKey('standard', key.accountId, ['write'])
  expect((await ask(writer, '/events/stream')).status).toBe(403)
  expect((await fetch(`${service.url}/events/stream`)).status).toBe(401)
})

test('a ticket is worth nothing after 30 seconds, twice, or made up', async () => {
  const key = await world.aKey()
  let passed = 0
  const clock = { ...systemClock, nowMilliseconds: () => Date.now() + passed }
  const tickets = openTickets({ store: world.database.store, clock, random: systemRandom })
  const [first, second] = [await tickets.give(key), await tickets.give(key)]
  expect(await tickets.take(first.ticket)).toEqual({ accountId: key.accountId, keyId: key.keyId })
  await expect(tickets.take(first.ticket)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  passed = limits.eventTicketSeconds * 1000 + 1
  await expect(tickets.take(second.ticket)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await expect(tickets.take(`tkt_${'a'.repeat(43)}`)).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  })
  const third = await tickets.give(key)
  const { store } = world.database
  await store.inTransaction('service', (tx) => forgetTickets(tx, third.expiresAt + 1, 10))
  await expect(tickets.take(third.ticket)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
})

test('what has had its time goes, the oldest first, and the numbers go on', async () => {
  const { key, ids } = await withEvents(4)
  const { store } = world.database
  const left = async () =>
    (await numberedEvents(store, key.accountId)).map(({ sequence }) => sequence)
  const later = Date.now() + 60_000
  const others = await store.inTransaction('service', (tx) =>
    tx.query<{ count: string }>(
      'test_others',
      // The newest of an account stays.
      `select count(*) as count from event_runs join event_sequences using (account_id)
       where account_id <> $1 and last_sequence < sequence`,
      [key.accountId],
    ),
  )
  await store.inTransaction('service', (tx) => forgetEvents(tx, 0, 100))
  expect(await left()).toEqual([1, 2, 3, 4])
  await store.inTransaction('service', (tx) =>
    forgetEvents(tx, later, Number(others[0]?.count) + 2),
  )
  expect(await left()).toEqual([3, 4])
  expect((await ask(key, `/events?after=${ids[0]}`)).status).toBe(400)
  await service.tell(key.accountId, 'n5')
  await until('it is numbered', async () => (await left()).length === 3, SOON)
  expect(await left()).toEqual([3, 4, 5])
})

test('the database itself shows an account nothing of another', async () => {
  const { key } = await withEvents(2)
  const other = await world.aKey()
  const tickets = openTickets({
    store: world.database.store,
    clock: systemClock,
    random: systemRandom,
  })
  await tickets.give(key)
  const text = `select (select count(*) from event_runs where account_id = $1)
    + (select count(*) from event_sequences where account_id = $1)
    + (select count(*) from event_tickets where account_id = $1) as count`
  const { store } = world.database
  const seen = async (scope: Parameters<typeof store.inTransaction>[0]) => {
    const rows = await store.inTransaction(scope, (tx) =>
      tx.query<{ count: string }>('test_walls', text, [key.accountId]),
    )
    return Number(rows[0]?.count)
  }
  expect([await seen(key.accountId), await seen('service')]).toEqual([4, 4])
  expect(await seen(other.accountId)).toBe(0)
})
