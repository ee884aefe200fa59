import { parseId } from '../kernel/id.ts'
import type { AccountId, EventId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { idAfter, placesBetween } from '../kernel/successive-id.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { NumberedEvent } from './event.ts'
import { eventsOf } from './event-runs.ts'
import type { EventRunRow } from './event-runs.ts'

/** An account's events after a number, in order, as many as asked for at most. */
export async function eventsAfter(
  store: Store,
  accountId: AccountId,
  sequence: number,
  count: number,
): Promise<readonly NumberedEvent[]> {
  const rows = await store.inTransaction(accountId, (tx) =>
    tx.query<EventRunRow>(
      'events_after',
      // What is asked for begins behind what is no longer kept. Numbers have no gaps, so they say how many events lie before a run: the texts
      // of others are not read.
      `with first as (
         select greatest($2, last_sequence - count) as before
         from event_runs where account_id = $1 and last_sequence > $2 order by last_sequence limit 1
       )
       select account_id, last_sequence, count, first_id, facts, created_at from event_runs
       where account_id = $1 and last_sequence > $2 and last_sequence < (select before from first) + $3 + $4
         and last_sequence - count < (select before from first) + $3
       order by last_sequence limit $3`,
      [accountId, sequence, count, limits.eventsPerRunMax],
    ),
  )
  const events = rows.flatMap(eventsOf).filter((event) => event.sequence > sequence)
  return events.slice(0, count)
}

/** Events of one account behind a number, up to another. */
export interface EventRange {
  readonly accountId: AccountId
  readonly after: number
  readonly upto: number
}

/** What was read of a range. */
export interface RangeRead {
  readonly events: readonly NumberedEvent[]
  /** What is kept up to here is among them. */
  readonly upto: number
}

/** A run within a range; without its facts when there was too much before it. */
type RunOfRange = (EventRunRow | (Omit<EventRunRow, 'facts'> & { readonly facts: null })) & {
  /** Of which range, from 1 on. */
  readonly place: string
}

/**
 * What is kept of ranges, in their order, each from its beginning on: of facts so many bytes and the rest of a run, and one run at least. Costs what
 * is read, and less than a run at either end of each.
 */
export async function eventsOfRanges(
  tx: Tx,
  ranges: readonly EventRange[],
  bytesMax: number,
): Promise<readonly RangeRead[]> {
  if (ranges.length === 0) return []
  const rows = await tx.query<RunOfRange>(
    'events_of_ranges',
    // The length of a text is known without the text.
    `select place, account_id, last_sequence, count, first_id, created_at, case when before < $5 then facts end as facts from (
       select asked.place, run.*, sum(octet_length(run.facts)) over (order by asked.place, run.last_sequence) - octet_length(run.facts) as before
       from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as asked (account_id, after, upto, place)
       cross join lateral (
         select account_id, last_sequence, count, first_id, facts, created_at from event_runs r
         where r.account_id = asked.account_id and r.last_sequence > asked.after and r.last_sequence < asked.upto + $4
           and r.last_sequence - r.count < asked.upto
         order by r.last_sequence offset 0) run) as found
     order by place, last_sequence`,
    [
      ranges.map(({ accountId }) => accountId),
      ranges.map(({ after }) => after),
      ranges.map(({ upto }) => upto),
      limits.eventsPerRunMax,
      bytesMax,
    ],
  )
  const byPlace = Map.groupBy(rows, ({ place }) => Number(place))
  return ranges.map(({ after, upto }, index) => {
    const runs = byPlace.get(index + 1) ?? []
    const unread = runs.find(({ facts }) => facts === null)
    const end = unread === undefined ? upto : Number(unread.last_sequence) - unread.count
    const readUpto = Math.max(after, Math.min(upto, end))
    const events = runs.flatMap((run) => (run.facts === null ? [] : eventsOf(run)))
    return {
      events: events.filter(({ sequence }) => sequence > after && sequence <= readUpto),
      upto: readUpto,
    }
  })
}

/** The number of an event that is kept; undefined when the account has none of that id, or no longer. */
export async function sequenceOf(
  store: Store,
  accountId: AccountId,
  eventId: string,
): Promise<number | undefined> {
  const id = parseId('evt', eventId)
  if (id === undefined) return undefined
  const rows = await store.inTransaction(accountId, (tx) =>
    tx.query<RunPlace>(
      'events_sequence_of',
      `select last_sequence, count, first_id from event_runs
       where account_id = $1 and first_id <= $2 order by first_id desc limit 1`,
      [accountId, id],
    ),
  )
  const run = rows[0]
  if (run === undefined) return undefined
  const place = placesBetween(run.first_id, id)
  return place < run.count ? Number(run.last_sequence) - run.count + 1 + Number(place) : undefined
}

/** Where a run's events lie. */
interface RunPlace {
  readonly last_sequence: string
  readonly count: number
  readonly first_id: EventId
}

/** The id of the event with that number; undefined when it is not kept, or not there yet. */
export async function idOf(
  store: Store,
  accountId: AccountId,
  sequence: number,
): Promise<EventId | undefined> {
  const rows = await store.inTransaction(accountId, (tx) =>
    tx.query<RunPlace>(
      'events_id_of',
      `select last_sequence, count, first_id from event_runs
       where account_id = $1 and last_sequence >= $2 order by last_sequence limit 1`,
      [accountId, sequence],
    ),
  )
  const run = rows[0]
  if (run === undefined) return undefined
  const place = sequence - (Number(run.last_sequence) - run.count + 1)
  return place < 0 ? undefined : idAfter(run.first_id, place)
}

/** The last numbers of these accounts; 0 for one that has no event yet. */
export async function lastSequences(
  store: Store,
  accountIds: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, number>> {
  const rows = await store.inTransaction('service', (tx) =>
    tx.query<{ account_id: AccountId; sequence: string }>(
      'events_last_sequences',
      'select account_id, sequence from event_sequences where account_id = any($1)',
      [accountIds],
    ),
  )
  const known = new Map(rows.map((row) => [row.account_id, Number(row.sequence)]))
  return new Map(accountIds.map((accountId) => [accountId, known.get(accountId) ?? 0]))
}

/**
 * Removes events that were numbered before, the oldest of each account first; so many and the rest of a run at most. How many events that were. The
 * newest run of an account stays: whoever has its last event has missed nothing, however long nothing has happened, and goes on after it.
 */
export async function forgetEvents(
  tx: Tx,
  beforeMilliseconds: number,
  count: number,
): Promise<number> {
  const rows = await tx.query<{ count: string }>(
    'events_forget',
    `delete from event_runs where (account_id, last_sequence) in (
       select account_id, last_sequence from (
         select account_id, last_sequence, sum(count) over (order by numbered_at, account_id, last_sequence) - count as before
         from (select account_id, last_sequence, count, numbered_at from event_runs r where numbered_at < to_timestamp($1 / 1000.0)
           -- Asked of each in turn, so that the oldest are found in their order.
           and last_sequence is distinct from (select sequence from event_sequences s where s.account_id = r.account_id)
           order by numbered_at, account_id, last_sequence limit $2) as oldest) as summed
       where before < $2)
     returning count`,
    [beforeMilliseconds, count],
  )
  return rows.reduce((sum, row) => sum + Number(row.count), 0)
}
