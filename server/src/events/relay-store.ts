import { ACCOUNT_EVENTS } from '@florin/wire/event-types.ts'
import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { AccountId, EventId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { NumberedEvent } from './event.ts'
import { eventOf } from './event-rows-store.ts'
import type { EventRow } from './event-rows-store.ts'

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

/** A fact that never lay in the outbox, with what it will be known by. */
export interface GivenFact {
  readonly id: EventId
  readonly accountId: AccountId
  readonly type: AccountEventType
  readonly resourceId: string
  /** The JSON text of its data. */
  readonly dataText: string
}

/**
 * Takes the oldest rows out of the outbox and numbers them per account, one for each of the ids at most, and behind them what is given. In the
 * order of the outbox's own numbers: of two facts about the same thing the later one was written under its lock, so with the higher number, and
 * what it follows is seen wherever it is seen. A row that becomes visible late with a low number is numbered then. Call it under `holdRelay`. A
 * type that only a newer version knows is its own channel: it must not stop the others. Of what is given only the numbers come back: an account's
 * follow each other.
 */
export async function numberNext(
  tx: Tx,
  ids: readonly string[],
  given: readonly GivenFact[] = [],
  nowMilliseconds = 0,
): Promise<readonly NumberedEvent[]> {
  const rows = await tx.query<EventRow | ReachedRow>(
    'relay_number',
    `with taken as (
       delete from outbox where id = any(array(select id from outbox order by id limit cardinality($1::text[]))) returning *
     ), given as (
       select * from rows from (json_to_recordset($3::json) as (id text, account_id text, type text, resource_id text, data json))
         with ordinality as each (id, account_id, type, resource_id, data, nth)
     ), counted as (
       select account_id, count(*) as count, count(*) filter (where is_given) as given_count
       from (select account_id, false as is_given from taken union all select account_id, true from given) as all_of_them
       group by account_id
     ), reached as (
       insert into event_sequences as known (account_id, sequence)
       select account_id, count from counted order by account_id
       on conflict (account_id) do update set sequence = known.sequence + excluded.sequence
       returning account_id, sequence
     ), placed as (
       select taken.*, row_number() over (order by id) as place,
         row_number() over (partition by account_id order by id) as nth
       from taken
     ), facts as (
       select p.account_id, r.sequence - c.count + p.nth as sequence, ($1::text[])[p.place] as id, p.type, p.resource_id,
         p.data, p.created_at, false as is_given
       from placed p join counted c using (account_id) join reached r using (account_id)
       union all
       select g.account_id, r.sequence - c.given_count + row_number() over (partition by g.account_id order by g.nth), g.id,
         g.type, g.resource_id, g.data, to_timestamp($4 / 1000.0), true
       from given g join counted c using (account_id) join reached r using (account_id)
     ), stored as (
       insert into events (account_id, sequence, id, type, channel, resource_id, data, created_at)
       select account_id, sequence, id, type, coalesce($2::json ->> type, type), resource_id, data, created_at
       from facts order by account_id, sequence
       returning account_id
     )
     select account_id, sequence, id, type, coalesce($2::json ->> type, type) as channel, resource_id,
       data::text as data_text, created_at
     from facts where not is_given
     union all
     select account_id, sequence - given_count, null, null, null, null, null, null
     from reached join counted using (account_id) where given_count > 0
     order by account_id, sequence`,
    [ids, JSON.stringify(ACCOUNT_EVENTS), recordsOf(given), nowMilliseconds],
  )
  const events = rows.filter(isEvent).map(eventOf)
  const reached = new Map(
    rows.filter(({ id }) => id === null).map((row) => [row.account_id, Number(row.sequence)]),
  )
  return [...events, ...given.map((fact) => numbered(fact, reached, nowMilliseconds))]
}

/** What an account's numbers had reached before the first of its facts that were given. */
interface ReachedRow {
  readonly account_id: AccountId
  readonly sequence: string
  readonly id: null
}

function isEvent(row: EventRow | ReachedRow): row is EventRow {
  return row.id !== null
}

function numbered(
  fact: GivenFact,
  reached: Map<AccountId, number>,
  createdAtMilliseconds: number,
): NumberedEvent {
  const before = reached.get(fact.accountId)
  if (before === undefined) throw new Error('a fact was not numbered')
  const sequence = before + 1
  reached.set(fact.accountId, sequence)
  return { ...fact, sequence, channel: ACCOUNT_EVENTS[fact.type], createdAtMilliseconds }
}

/** By hand around the text that is there already. */
function recordsOf(given: readonly GivenFact[]): string {
  const records = given.map(
    ({ dataText, id, accountId, type, resourceId }) =>
      `{"id":"${id}","account_id":"${accountId}","type":"${type}","resource_id":${JSON.stringify(resourceId)},"data":${dataText}}`,
  )
  return `[${records.join(',')}]`
}

/** How many facts wait to be numbered, as far as it matters. Costs no write, so an idle relay may ask often. */
export async function countWaiting(store: Pick<Store, 'query'>, countMax: number): Promise<number> {
  const rows = await store.query<{ waits: number }>(
    'relay_look',
    // By the index, which remembers what it found dead: a scan of the table goes through every row that was numbered since the last sweep.
    'select count(*)::int as waits from (select from outbox order by id limit $1) as waiting',
    [countMax],
  )
  return rows[0]?.waits ?? 0
}
