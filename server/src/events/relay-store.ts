import type { EventId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { NumberedEvent } from './event.ts'
import { eventsOf } from './event-runs.ts'
import type { EventRunRow } from './event-runs.ts'
import { columnsOf, RUN_END } from './fact-runs.ts'
import { factsText } from './facts.ts'
import type { FactRun } from './fact-runs.ts'

/** Another instance numbers now, or nobody does: nothing was numbered. */
export class RelayLost extends Error {
  override readonly name = 'RelayLost'
}

/**
 * Takes or renews the relay's lease; undefined while another instance holds it. Lease time is the database's: one that lasts longer than any was
 * taken before its clock was set back, and is over. Should its holder live, the fence tells it.
 */
export async function takeRelay(
  tx: Tx,
  owner: string,
  leaseMilliseconds: number,
): Promise<{ readonly fence: bigint } | undefined> {
  const rows = await tx.query<{ fence: string }>(
    'relay_take',
    `update relays set lease_owner = $1, lease_until = clock_timestamp() + $2 * interval '1 millisecond',
       fence = case when lease_owner = $1 and lease_until > clock_timestamp() then fence else fence + 1 end
     where name = 'events' and (lease_owner is null or lease_owner = $1 or lease_until < clock_timestamp()
       or lease_until > clock_timestamp() + $3 * interval '1 millisecond')
     returning fence`,
    [owner, leaseMilliseconds, leaseMilliseconds + limits.clockAheadSeconds * 1000],
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

/** What was numbered at once. */
export interface NumberedBatch {
  readonly events: readonly NumberedEvent[]
  /** More would have been taken out of the outbox: nothing waits there any more. */
  readonly isEmptied: boolean
}

/**
 * Takes the oldest rows out of the outbox and numbers their facts per account. In the order of the outbox's own numbers: of two facts about the same
 * thing the later one was written under its lock, so with the higher number, and what it follows is seen wherever it is seen. A row that becomes
 * visible late with a low number is numbered then. Behind them come runs that never lay in the outbox. Call it under `holdRelay`.
 * @param ids of the first event of each run: for the runs that are given, and for as many rows of the outbox as are left.
 */
export async function numberNext(
  tx: Tx,
  ids: readonly EventId[],
  given: readonly FactRun[] = [],
  nowMilliseconds = 0,
): Promise<NumberedBatch> {
  const rowsMax = ids.length - given.length
  const texts = given.map(({ facts }) => factsText(facts))
  const rows = await tx.query<NumberedRow>(
    'relay_number',
    `with taken as (
       delete from outbox where id = any(array(
         select id from (
           select id, sum(count) over (order by id) - count as before
           from (select id, count from outbox order by id limit $2) as oldest
         ) as summed where before < $3))
       returning id, account_id, count, facts, created_at
     ), runs as (
       select account_id, count, facts, created_at, row_number() over (order by id) as place, false as is_given from taken
       union all
       select account_id, count, facts, to_timestamp($7 / 1000.0), $2 + nth, true
       from unnest($4::text[], $5::int[], string_to_array($6, $8)) with ordinality as run (account_id, count, facts, nth)
     ), placed as (
       select *, sum(count) over (partition by account_id order by place) as upto,
         sum(count) over (partition by account_id) as whole
       from runs
     ), reached as (
       insert into event_sequences as known (account_id, sequence)
       select account_id, sum(count) from runs group by account_id order by account_id
       on conflict (account_id) do update set sequence = known.sequence + excluded.sequence
       returning account_id, sequence
     ), numbered as (
       select p.account_id, r.sequence - p.whole + p.upto as last_sequence, p.count, ($1::text[])[p.place] as first_id,
         p.facts, p.created_at, p.place, p.is_given
       from placed p join reached r using (account_id)
     ), stored as (
       insert into event_runs (account_id, last_sequence, count, first_id, facts, created_at)
       -- In this order: numbered_at grows with the numbers.
       select account_id, last_sequence, count, first_id, facts, created_at from numbered order by account_id, last_sequence
       returning account_id
     )
     select account_id, last_sequence, count, first_id, case when not is_given then facts end as facts, created_at,
       case when is_given then place - $2 end as given_nth
     from numbered order by account_id, last_sequence`,
    [ids, rowsMax, limits.relayBatchMax, ...columnsOf(given, texts), nowMilliseconds, RUN_END],
  )
  const taken = rows.flatMap((row) => (isWhole(row) ? [row] : []))
  const events = rows.flatMap((row) =>
    eventsOf(isWhole(row) ? row : { ...row, facts: texts[Number(row.given_nth) - 1] ?? '' }),
  )
  const takenCount = events.length - given.reduce((sum, { facts }) => sum + facts.length, 0)
  return { events, isEmptied: taken.length < rowsMax && takenCount < limits.relayBatchMax }
}

/** The text of what was given does not come back: whoever gave it has it. */
type NumberedRow = EventRunRow | (Omit<EventRunRow, 'facts'> & { facts: null; given_nth: string })

function isWhole(row: NumberedRow): row is EventRunRow {
  return row.facts !== null
}

/** How many rows of the outbox wait to be numbered, as far as it matters. Costs no write, so an idle relay may ask often. */
export async function countWaiting(store: Pick<Store, 'query'>, countMax: number): Promise<number> {
  const rows = await store.query<{ waits: number }>(
    'relay_look',
    // By the index, which remembers what it found dead: a scan of the table goes through every row that was numbered since the last sweep.
    'select count(*)::int as waits from (select from outbox order by id limit $1) as waiting',
    [countMax],
  )
  return rows[0]?.waits ?? 0
}
