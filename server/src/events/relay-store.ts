import { ACCOUNT_EVENTS } from '@florin/wire/event-types.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { NumberedEvent } from './event.ts'
import { eventOf } from './event-rows-store.ts'
import type { EventRow } from './event-rows-store.ts'
import { recordsOf } from './store.ts'
import type { OutboxEvent } from './store.ts'

/** Another instance numbers now, or nobody does: nothing was numbered. */
export class RelayLost extends Error {
  override readonly name = 'RelayLost'
}

/** Takes or renews the relay's lease; undefined while another instance holds it. Lease time is the database's. */
export async function takeRelay(
  tx: Tx,
  owner: string,
  leaseMilliseconds: number,
): Promise<{ readonly fence: bigint } | undefined> {
  const rows = await tx.query<{ fence: string }>(
    'relay_take',
    `update relays set lease_owner = $1, lease_until = clock_timestamp() + $2 * interval '1 millisecond',
       fence = case when lease_owner = $1 and lease_until > clock_timestamp() then fence else fence + 1 end
     where name = 'events' and (lease_owner is null or lease_owner = $1 or lease_until < clock_timestamp())
     returning fence`,
    [owner, leaseMilliseconds],
  )
  return rows[0] && { fence: BigInt(rows[0].fence) }
}

/** Gives the lease back at once, so that another instance need not wait for it to run out. */
export async function releaseRelay(tx: Tx, owner: string): Promise<void> {
  await tx.query(
    'relay_release',
    `update relays set lease_owner = null, lease_until = null where name = 'events' and lease_owner = $1`,
    [owner],
  )
}

/** Holds the lease for this transaction, and longer by its time: two holders wait for each other here. @throws {RelayLost} */
export async function holdRelay(tx: Tx, fence: bigint, leaseMilliseconds: number): Promise<void> {
  const rows = await tx.query<{ fence: string }>(
    'relay_hold',
    `update relays set lease_until = clock_timestamp() + $2 * interval '1 millisecond'
     where name = 'events' and fence = $1 and lease_owner is not null returning fence`,
    [fence.toString(), leaseMilliseconds],
  )
  if (rows.length === 0) throw new RelayLost('the relay went to another instance')
}

/** Facts that never lay in the outbox, and when they came. */
export interface Given {
  readonly events: readonly OutboxEvent[]
  readonly nowMilliseconds: number
}

const NOTHING: Given = { events: [], nowMilliseconds: 0 }

/**
 * Takes the oldest rows out of the outbox and numbers them per account, one for each of the ids at most, and behind them what is given. In the
 * order of the outbox's own numbers: of two facts about the same thing the later one was written under its lock, so with the higher number, and
 * what it follows is seen wherever it is seen. A row that becomes visible late with a low number is numbered then. Call it under `holdRelay`. A
 * type that only a newer version knows is its own channel: it must not stop the others.
 */
export async function numberNext(
  tx: Tx,
  ids: readonly string[],
  { events, nowMilliseconds }: Given = NOTHING,
): Promise<readonly NumberedEvent[]> {
  const rows = await tx.query<EventRow>(
    'relay_number',
    `with taken as (
       delete from outbox where id in (select id from outbox order by id limit cardinality($1::text[]) - $4) returning *
     ), facts as (
       select id, null::bigint as nth, account_id, type, resource_id, data, created_at from taken
       union all
       select null, nth, account_id, type, resource_id, data, to_timestamp($5 / 1000.0)
       from rows from (json_to_recordset($3::json) as (account_id text, type text, resource_id text, data json))
         with ordinality as given (account_id, type, resource_id, data, nth)
     ), counted as (
       select account_id, count(*) as count from facts group by account_id
     ), reached as (
       insert into event_sequences as known (account_id, sequence)
       select account_id, count from counted order by account_id
       on conflict (account_id) do update set sequence = known.sequence + excluded.sequence
       returning account_id, sequence
     ), placed as (
       select account_id, type, resource_id, data, created_at, row_number() over (order by id, nth) as place,
         row_number() over (partition by account_id order by id, nth) as nth
       from facts
     ), stored as (
       insert into events (account_id, sequence, id, type, channel, resource_id, data, created_at)
       select p.account_id, r.sequence - c.count + p.nth, ($1::text[])[p.place], p.type,
         coalesce($2::json ->> p.type, p.type), p.resource_id, p.data, p.created_at
       from placed p join counted c using (account_id) join reached r using (account_id)
       order by p.account_id, p.nth
       returning *
     )
     select account_id, sequence, id, type, channel, resource_id, data::text as data_text, created_at from stored
     order by account_id, sequence`,
    [ids, JSON.stringify(ACCOUNT_EVENTS), recordsOf(events), events.length, nowMilliseconds],
  )
  return rows.map(eventOf)
}

/** How many facts wait to be numbered, as far as it matters. Costs no write, so an idle relay may ask often. */
export async function countWaiting(store: Pick<Store, 'query'>, countMax: number): Promise<number> {
  const rows = await store.query<{ waits: number }>(
    'relay_look',
    'select count(*)::int as waits from (select from outbox limit $1) as waiting',
    [countMax],
  )
  return rows[0]?.waits ?? 0
}
