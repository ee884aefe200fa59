/** Whose rows, in a statement whose $1 is the wallet and $2 its account, behind `asked`. */
function isAsked(table: string): string {
  return `${table}.wallet_id = $1 and ${table}.account_id = $2 and ${table}.network = asked.network and ${table}.asset = asked.asset`
}

const SPENDS = `policy_spends spend where ${isAsked('spend')} and spend.released_at is null and spend.reserved_at > asked.widest`

/** The run that a time is in, or the next one. */
function runAt(time: string): string {
  return `select sums.since, sums.until from policy_spend_sums sums where ${isAsked('sums')} and sums.until > ${time}
    order by sums.until limit 1`
}

/**
 * What counts against the windows of an asset, as a lateral join behind `asked`, which names `network`, `asset` and where the windows begin:
 * `day`, `hour`, and `widest` for the widest of those that are asked for, and until when spends may be summed up, `summable`. Gives `spent`:
 * `widest`, null where nothing counts, `day` and `hour`; `unsummed`, how many spends might be summed up and are not; `stale`, how many runs do
 * not count since something in them was changed; `notes`, how many changes were noted that nobody has heard.
 *
 * A run counts with its sum where it is whole in the window and nothing in it was changed. Of the run that a window begins in, of
 * one that was changed, and behind the last one, each spend is read.
 */
export const SPENT = `
  cross join lateral (
    -- Worked out apart, as behind a wall an index takes a column and no arithmetic.
    with runs as materialized (
      select
        coalesce((select since from policy_spend_sums sums where ${isAsked('sums')} order by until limit 1), '-infinity') as begins,
        coalesce((select until from policy_spend_sums sums where ${isAsked('sums')} order by until desc limit 1), '-infinity') as ends
    ), stale as materialized (
      select distinct run.since, run.until
      from policy_spend_changes changed cross join lateral (${runAt('changed.reserved_at')}) as run
      where ${isAsked('changed')} and changed.reserved_at >= run.since
    ), begun as materialized (
      select distinct run.since, run.until
      from unnest(array[asked.widest, asked.day, asked.hour]) as edge cross join lateral (${runAt('edge')}) as run
      where run.since <= edge and not exists (select from stale where stale.until = run.until)
    ), counted as (
      -- A run counts for each window that it begins in.
      select sums.amount, sums.since as at, null::timestamptz as begun, false as is_unsummed
      from policy_spend_sums sums
      where ${isAsked('sums')} and sums.until > asked.widest and sums.since > asked.widest
        and not exists (select from stale where stale.until = sums.until)
      union all
      -- And its spends for those that begin in it.
      select spend.amount, spend.reserved_at, begun.since, false
      from begun cross join lateral (
        select amount, reserved_at from ${SPENDS} and spend.reserved_at >= begun.since and spend.reserved_at < begun.until) as spend
      union all
      select spend.amount, spend.reserved_at, null, false
      from stale cross join lateral (
        select amount, reserved_at from ${SPENDS} and spend.reserved_at >= stale.since and spend.reserved_at < stale.until) as spend
      union all
      select spend.amount, spend.reserved_at, null, spend.reserved_at < asked.summable
      from runs cross join lateral (select amount, reserved_at from ${SPENDS} and spend.reserved_at >= runs.ends) as spend
      union all
      -- Before the first run: a clock was set back.
      select spend.amount, spend.reserved_at, null, false
      from runs cross join lateral (select amount, reserved_at from ${SPENDS} and spend.reserved_at < runs.begins) as spend
    )
    select sum(amount) filter (where begun is null or begun <= asked.widest) as widest,
      coalesce(sum(amount) filter (where at > asked.day and (begun is null or begun <= asked.day)), 0) as day,
      coalesce(sum(amount) filter (where at > asked.hour and (begun is null or begun <= asked.hour)), 0) as hour,
      count(*) filter (where is_unsummed) as unsummed,
      (select count(*) from stale) as stale,
      (select count(*) from policy_spend_changes changed where ${isAsked('changed')}) as notes
    from counted
  ) as spent`

/** The same of a wallet that has no sums: a third of the time, since there is nothing to look up. */
export const SPENT_UNSUMMED = `
  cross join lateral (
    select sum(amount) as widest,
      coalesce(sum(amount) filter (where reserved_at > asked.day), 0) as day,
      coalesce(sum(amount) filter (where reserved_at > asked.hour), 0) as hour,
      count(*) filter (where reserved_at < asked.summable) as unsummed,
      0 as stale,
      0 as notes
    from ${SPENDS}
  ) as spent`
