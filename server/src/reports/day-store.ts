import type { AccountId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'

/** How many requests of an account were let in on a day in UTC, `2026-09-21`. */
export interface DayCount {
  readonly accountId: AccountId
  readonly day: string
  readonly requests: number
}

/** Adds counts to what is there, in one statement. */
export async function addCounts(
  store: Pick<Store, 'inTransaction'>,
  counts: readonly DayCount[],
): Promise<void> {
  await store.inTransaction('service', (tx) =>
    tx.query(
      'reports_add_counts',
      // In one order, so that instances that add at once wait for each other and never in a ring.
      `insert into request_days as known (account_id, day, requests)
       select account_id, day, requests
       from unnest($1::text[], $2::date[], $3::bigint[]) as counted (account_id, day, requests)
       order by account_id, day
       on conflict (account_id, day) do update set requests = known.requests + excluded.requests`,
      [
        counts.map(({ accountId }) => accountId),
        counts.map(({ day }) => day),
        counts.map(({ requests }) => requests),
      ],
    ),
  )
}

/** The account's counts from a day on. */
export async function countsSince(
  tx: Tx,
  accountId: AccountId,
  day: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ day: string; requests: string }>(
    'reports_counts',
    `select day::text as day, requests from request_days where account_id = $1 and day >= $2::date`,
    [accountId, day],
  )
  return new Map(rows.map((row) => [row.day, Number(row.requests)]))
}

const FORGOTTEN_MAX = 1_000

/** Removes days before one, a bounded number at a time. Says whether more may wait. */
export async function forgetDays(tx: Tx, before: string): Promise<boolean> {
  const removed = await tx.query(
    'reports_forget_days',
    `delete from request_days where ctid = any (array(
       select ctid from request_days where day < $1::date order by day limit $2))
     returning 1`,
    [before, FORGOTTEN_MAX],
  )
  return removed.length >= FORGOTTEN_MAX
}
