import type { AccountId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { NumberedEvent } from './event.ts'
import { eventOf } from './event-rows-store.ts'
import type { EventRow } from './event-rows-store.ts'

/** An account's events after a number, in order, as many as asked for at most. */
export async function eventsAfter(
  store: Store,
  accountId: AccountId,
  sequence: number,
  count: number,
): Promise<readonly NumberedEvent[]> {
  const rows = await store.inTransaction(accountId, (tx) =>
    tx.query<EventRow>(
      'events_after',
      `select account_id, sequence, id, type, channel, resource_id, data::text as data_text, created_at
       from events where account_id = $1 and sequence > $2 order by sequence limit $3`,
      [accountId, sequence, count],
    ),
  )
  return rows.map(eventOf)
}

/** The number of an event that is kept; undefined when the account has none of that id, or no longer. */
export async function sequenceOf(
  store: Store,
  accountId: AccountId,
  eventId: string,
): Promise<number | undefined> {
  const rows = await store.inTransaction(accountId, (tx) =>
    tx.query<{ sequence: string }>(
      'events_sequence_of',
      'select sequence from events where id = $1 and account_id = $2',
      [eventId, accountId],
    ),
  )
  return rows[0] && Number(rows[0].sequence)
}

/** The id of the event with that number; undefined when it is not kept, or not there yet. */
export async function idOf(
  store: Store,
  accountId: AccountId,
  sequence: number,
): Promise<string | undefined> {
  const rows = await store.inTransaction(accountId, (tx) =>
    tx.query<{ id: string }>(
      'events_id_of',
      'select id from events where account_id = $1 and sequence = $2',
      [accountId, sequence],
    ),
  )
  return rows[0]?.id
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

/** Removes events that were numbered before, a bounded number, the oldest of each account first. */
export async function forgetEvents(
  tx: Tx,
  beforeMilliseconds: number,
  count: number,
): Promise<number> {
  const rows = await tx.query(
    'events_forget',
    `delete from events where (account_id, sequence) in (
       select account_id, sequence from events where numbered_at < to_timestamp($1 / 1000.0)
       order by numbered_at, account_id, sequence limit $2)
     returning 1`,
    [beforeMilliseconds, count],
  )
  return rows.length
}
