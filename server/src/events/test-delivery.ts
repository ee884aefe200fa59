import pg from 'pg'
import { expect } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { until } from '../kernel/until.ts'
import type { Store } from '../store/postgres.ts'
import { openTestEvents, openTestSocket } from './test-event-service.ts'
import type { TestKey } from './test-event-service.ts'
import { numberedEvents, tell } from './test-outbox.ts'

export interface DeliveryPlan {
  readonly seed: number
  readonly writers: number
  readonly factsPerWriter: number
  /** Connections of writers, relay and feed that are ended while they work. */
  readonly kills: number
  readonly seconds: number
}

const RESOURCES = 12
const DELAY_MILLISECONDS_MAX = 12

/**
 * Writers change things and tell of it, with pauses before and after, and give up now and then; database connections are ended under
 * everybody, an instance leaves and another comes. Three readers drop their sockets at random. Each must have seen 1..n in order.
 */
export async function proveDelivery(plan: DeliveryPlan): Promise<{ readonly events: number }> {
  const random = seeded(plan.seed)
  const world = await openTestEvents()
  const owner = new pg.Client({ connectionString: world.database.ownerUrl.reveal() })
  await owner.connect()
  try {
    await owner.query(
      'create table test_states (id text primary key, state integer not null default 0); grant select, update on test_states to florin_service',
    )
    await owner.query(
      `insert into test_states (id) select 'thing-' || n from generate_series(1, ${RESOURCES}) n`,
    )
    const key = await world.aKey('premium')
    const first = await world.start()
    const second = await world.start()
    const urls = [first.socketUrl, second.socketUrl]
    const done = new AbortController()
    // The one that all of them have: from there on they miss nothing.
    await tellWithin(first.store, key.accountId, 'thing-1', [], false)
    const [start] = await until(
      'the first is numbered',
      async () => {
        const known = await numberedEvents(world.database.store, key.accountId)
        return known.length === 1 && known
      },
      { seconds: plan.seconds },
    )
    const readers = [0, 1, 2].map((index) =>
      readAlong(key, {
        url: () => urls[index % urls.length] ?? '',
        random: seeded(plan.seed + 1 + index),
        startId: start?.id ?? '',
        done: done.signal,
      }),
    )
    const write = () => writeOne(first.store, key.accountId, random)
    const writing = Promise.all(
      Array.from({ length: plan.writers }, async () => {
        for (let count = 0; count < plan.factsPerWriter; count += 1) await write()
      }),
    )
    for (let kill = 0; kill < plan.kills; kill += 1) {
      await systemClock.sleep(random() * 200)
      await owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() order by random() limit 2`,
      )
    }
    // Which of the two numbers is chance; one goes, and a new one comes.
    await second.stop()
    urls[1] = (await world.start()).socketUrl
    await writing
    const { rows } = await owner.query<{ id: string; state: number }>('select * from test_states')
    const written = async () => {
      const counted = await owner.query<{ count: string }>(
        'select coalesce(sum(count), 0) as count from event_runs where (select count(*) from outbox) = 0',
      )
      const count = Number(counted.rows[0]?.count)
      return count > 0 && count
    }
    const events = await until('all is numbered', written, { seconds: plan.seconds })
    await until(
      `every reader has ${events} events`,
      () => readers.every(({ seen }) => seen.size === events),
      { seconds: plan.seconds },
    )
    done.abort()
    const numbers = Array.from({ length: events }, (_, index) => index + 1)
    for (const { seen } of readers) {
      expect([...seen.values()].map(({ sequence }) => sequence)).toEqual(numbers)
      const last = new Map<string, number>()
      for (const { thing, state } of seen.values()) {
        expect(state).toBe((last.get(thing) ?? 0) + 1)
        last.set(thing, state)
      }
      for (const { id, state } of rows) expect(last.get(id) ?? 0).toBe(state)
    }
    await Promise.all(readers.map(({ over }) => over))
    return { events }
  } finally {
    await owner.end()
    await world.close()
  }
}

async function writeOne(store: Store, accountId: AccountId, random: () => number): Promise<void> {
  const thing = `thing-${1 + Math.floor(random() * RESOURCES)}`
  const pauses = [random(), random(), random()].map((share) => share * DELAY_MILLISECONDS_MAX)
  const givesUp = random() < 0.1
  // What a lost connection undid, or may have undone, is not written again: the table says what happened.
  await tellWithin(store, accountId, thing, pauses, givesUp).catch(() => undefined)
}

async function tellWithin(
  store: Store,
  accountId: AccountId,
  thing: string,
  [before = 0, between = 0, after = 0]: readonly number[],
  givesUp: boolean,
): Promise<void> {
  await store.inTransaction('service', async (tx) => {
    await tx.query('test_id', 'select pg_current_xact_id()')
    await systemClock.sleep(before)
    const rows = await tx.query<{ state: number }>(
      'test_move',
      'update test_states set state = state + 1 where id = $1 returning state',
      [thing],
    )
    await systemClock.sleep(between)
    await tell(tx, accountId, thing, { thing, state: rows[0]?.state })
    await systemClock.sleep(after)
    if (givesUp) throw new Error('given up')
  })
}

interface Seen {
  readonly sequence: number
  readonly thing: string
  readonly state: number
}

/** Reads, drops its socket at random, and comes back with the id of its last event. */
function readAlong(
  key: TestKey,
  {
    url,
    random,
    startId,
    done,
  }: {
    readonly url: () => string
    readonly random: () => number
    readonly startId: string
    readonly done: AbortSignal
  },
): { readonly seen: ReadonlyMap<string, Seen>; readonly over: Promise<void> } {
  const seen = new Map<string, Seen>([[startId, { sequence: 1, thing: 'thing-1', state: 1 }]])
  async function run(): Promise<void> {
    while (!done.aborted) {
      const socket = await openTestSocket(url(), { key: key.text }).catch(() => undefined)
      if (socket === undefined) {
        await systemClock.sleep(50, done)
        continue
      }
      socket.socket.on('message', (data) => {
        const {
          id,
          sequence,
          data: facts,
        } = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '')
        if (typeof sequence === 'number' && !seen.has(id)) {
          seen.set(id, { sequence, thing: facts.thing, state: facts.state })
        }
      })
      socket.send({ method: 'subscribe', keys: ['payments'], after: [...seen.keys()].at(-1) })
      await systemClock.sleep(100 + random() * 600, done)
      socket.socket.terminate()
    }
  }
  return { seen, over: run() }
}

/** mulberry32: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}
