import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { latencyBounds } from './latency-bounds.ts'

/** An hour may be summed up so long after it began plus one; what changes half of that after a payment's creation is noted by the trigger. */
export const READY_AFTER = '2 hours'
/** Notes of late changes that one round takes at most, of as few hours as it takes of new ones. */
const NOTES_MAX = 10_000
/** "sum" in ASCII: apart from every other use of advisory locks. */
const SUMMING = 7566701

/**
 * Accounts with payments in hours that could be summed up, or with sums that are old; `countMax` at most, in the order of their ids, behind
 * `after` (empty: from the first one on). One look at an index for each account from there on that ever had a payment.
 */
export async function accountsToSum(
  tx: Tx,
  {
    keptDays,
    countMax,
    after,
  }: { readonly keptDays: number; readonly countMax: number; readonly after: string },
): Promise<readonly AccountId[]> {
  const rows = await tx.query<{ account_id: AccountId }>(
    'payments_accounts_to_sum',
    // Times are worked out apart: behind a wall an index takes no arithmetic.
    `with recursive known as (
       (select account_id from payments where account_id > $4 order by account_id limit 1)
       union all
       select (select account_id from payments where account_id > known.account_id order by account_id limit 1)
       from known where known.account_id is not null
     ), due as materialized (
       select known.account_id,
         coalesce(kept.until, clock_timestamp() - $2::integer * interval '1 day') as starts,
         date_bin('1 hour', clock_timestamp() - $1::interval, 'epoch') as ends
       from known left join payment_hours_kept kept using (account_id) where known.account_id is not null
     )
     -- Summed up further than any hour is ready now: the clock was set back.
     select account_id from due where due.starts > due.ends
       or exists (select from payments where payments.account_id = due.account_id
         and created_at >= due.starts and created_at < due.ends)
       or exists (select from payment_hours_late late where late.account_id = due.account_id)
     order by account_id limit $3`,
    [READY_AFTER, keptDays, countMax, after],
  )
  return rows.map((row) => row.account_id)
}

/**
 * Sums up the next hours of an account, `hoursMax` at most, and as many again of those that changed since they were. Gives whether there may
 * be more to do. Who comes while another sums up leaves it to them. A payment that commits after this has looked leaves a note of its hour that
 * this does not remove: until the next round that hour is read from the payments.
 */
export async function sumHours(
  tx: Tx,
  accountId: AccountId,
  { keptDays, hoursMax }: { readonly keptDays: number; readonly hoursMax: number },
): Promise<boolean> {
  const [lock] = await tx.query<{ mine: boolean }>(
    'payments_hours_lock',
    'select pg_try_advisory_xact_lock($1, hashtext($2)) as mine',
    [SUMMING, accountId],
  )
  if (lock?.mine !== true) return false
  const [found] = await tx.query<{ until: Date; ready: Date; ends: Date }>(
    'payments_hours_next',
    // Begins with the first payment, and passes over hours without any: they cost a round no more than others. What was summed up by a clock
    // that has been set back since is summed up anew when it is ready: payments that came into those hours later have left no notes.
    `insert into payment_hours_kept as kept (account_id, since, until)
     select $1, start, start from (
       select least(date_bin('1 hour', now() - $3::interval, 'epoch'), date_bin('1 hour', coalesce((select min(created_at) from payments
         where account_id = $1 and created_at >= now() - $2::integer * interval '1 day'), now()), 'epoch')) as start) first
     on conflict (account_id) do update
       set (since, until) = (
         select case when kept.since > ready then excluded.since
             else least(kept.until, ready, greatest(kept.since, date_bin('1 hour', now() - $2::integer * interval '1 day', 'epoch'))) end,
           case when kept.since > ready then excluded.since else least(kept.until, ready) end
         from (select date_bin('1 hour', now() - $3::interval, 'epoch') as ready) times)
     returning until, date_bin('1 hour', now() - $3::interval, 'epoch') as ready, until + $4::integer * interval '1 hour' as ends`,
    [accountId, keptDays, READY_AFTER, hoursMax],
  )
  if (found === undefined) throw new Error('a row that was just written is there')
  const [kept] = await tx.query<{ next: Date; ready: Date }>(
    'payments_hours_passed_over',
    `select greatest($2::timestamptz, least($3::timestamptz, greatest($4::timestamptz, date_bin('1 hour', coalesce(
         (select min(created_at) from payments where account_id = $1 and created_at >= $4::timestamptz), $3), 'epoch')))) as next,
       $3::timestamptz as ready`,
    [accountId, found.until, found.ready, found.ends],
  )
  if (kept === undefined) throw new Error('a select without a table has one row')
  // Each of the next statements sees what was committed before it, and so at least what these notes are about.
  const noted = await tx.query<{ id: string; hour: Date }>(
    'payments_hours_late',
    'select id, hour from payment_hours_late where account_id = $1 order by hour, id limit $2',
    [accountId, NOTES_MAX],
  )
  // They come hour by hour.
  const times = [...new Set(noted.map(({ hour }) => hour.getTime()))].slice(0, hoursMax)
  const late = times.map((time) => new Date(time))
  const notes = noted.filter(({ hour }) => times.includes(hour.getTime()))
  for (const [name, table] of [
    ['payments_hours_clear', 'payment_hours'],
    ['payments_latencies_clear', 'payment_hour_latencies'],
  ] as const) {
    await tx.query(
      name,
      `delete from ${table} where account_id = $1 and (hour = any ($2::timestamptz[])
         or hour < (select since from payment_hours_kept where account_id = $1) or hour >= $3::timestamptz)`,
      [accountId, late, found.until],
    )
  }
  await tx.query(
    'payments_hours_sum',
    `with kept as materialized (select since, until from payment_hours_kept where account_id = $1),
     hours as materialized (
       select distinct hour, hour + interval '1 hour' as ends
       from kept, unnest($3::timestamptz[]) as hour where hour >= since and hour < until
       union all
       select hour, hour + interval '1 hour'
       from kept, generate_series(until, $2::timestamptz - interval '1 hour', interval '1 hour') as hour
     ), fine as materialized (
       select hour, network, asset, decimals, type, status,
         case when occurrence is null then width_bucket(confirmed_at - created_at, $4::interval[]) end as bin,
         count(*) as payments, sum(amount) as amount
       from hours join payments on account_id = $1 and created_at >= hour and created_at < ends
       group by 1, 2, 3, 4, 5, 6, 7
     ), latencies as (
       insert into payment_hour_latencies (account_id, hour, payments)
       select $1, hour, json_object_agg(bin, payments)
       from (select hour, bin, sum(payments) as payments from fine where bin is not null group by hour, bin) binned
       group by hour
     )
     insert into payment_hours (account_id, hour, network, asset, decimals, type, status, payments, amount)
     select $1, hour, network, asset, decimals, type, status, sum(payments), sum(amount)
     from fine group by hour, network, asset, decimals, type, status`,
    [
      accountId,
      kept.next,
      late,
      latencyBounds.map((milliseconds) => `${milliseconds} milliseconds`),
    ],
  )
  await tx.query(
    'payments_hours_heard',
    'delete from payment_hours_late where account_id = $1 and id = any ($2::bigint[])',
    [accountId, notes.map(({ id }) => id)],
  )
  await tx.query(
    'payments_hours_until',
    'update payment_hours_kept set until = $2 where account_id = $1',
    [accountId, kept.next],
  )
  return kept.next < kept.ready || noted.length === NOTES_MAX || notes.length < noted.length
}
