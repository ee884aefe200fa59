import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Giving, Listening, NumberedRange } from './giving.ts'

/**
 * Notes events that were just numbered for the endpoints that want some of them now: one row for each account that has such, whatever the number of
 * its endpoints and events. How many accounts those are.
 */
export async function insertGivings(tx: Tx, ranges: readonly NumberedRange[]): Promise<number> {
  const noted = await tx.query(
    'giving_insert',
    `insert into webhook_givings (account_id, given_sequence, last_sequence, webhooks)
     select n.account_id, n.first_sequence - 1, n.last_sequence, listening.webhooks
     from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) as n (account_id, first_sequence, last_sequence, types)
     cross join lateral (
       select json_agg(json_build_object('id', w.id, 'types', w.types) order by w.id) as webhooks from webhooks w
       where w.account_id = n.account_id and w.enabled and w.deleted_at is null
         and (w.types = '{}' or w.types && string_to_array(n.types, ','))) listening
     where listening.webhooks is not null
     returning 1`,
    [
      ranges.map(({ accountId }) => accountId),
      ranges.map(({ firstSequence }) => firstSequence),
      ranges.map(({ lastSequence }) => lastSequence),
      ranges.map(({ types }) => types.join(',')),
    ],
  )
  return noted.length
}

/**
 * Whoever gives out does it alone, to the end of its transaction. False when somebody does; nobody waits. What it asks goes through indexes in their
 * order: of a table that is empty most of the time it looks as cheap to gather all that waits and to sort it, for each account again.
 */
export async function takeGivingTurn(tx: Tx): Promise<boolean> {
  const rows = await tx.query<{ is_mine: boolean }>(
    'giving_turn',
    `select pg_try_advisory_xact_lock(hashtextextended('florin-webhook-givings', 0)) as is_mine, set_config('enable_bitmapscan', 'off', true)`,
  )
  return rows[0]?.is_mine === true
}

interface GivingRow {
  readonly account_id: AccountId
  readonly given_sequence: string
  readonly last_sequence: string
  readonly webhooks: readonly Listening[]
}

/**
 * The oldest of each of the next accounts behind `after`, by accounts and numbers: one of each of `rowsMax` accounts, of fewer as many more. Accounts
 * are found by skipping through the index. Call it once it is your turn.
 */
export async function nextGivings(
  tx: Tx,
  after: string,
  rowsMax: number,
): Promise<readonly Giving[]> {
  const rows = await tx.query<GivingRow>(
    'giving_next',
    `with recursive waiting (account_id) as (
       (select account_id from webhook_givings where account_id > $1 order by account_id limit 1)
       union all
       select (select g.account_id from webhook_givings g where g.account_id > waiting.account_id order by g.account_id limit 1)
       from waiting where waiting.account_id is not null
     ), accounts_of_step as (select account_id from waiting where account_id is not null limit $2)
     select oldest.* from accounts_of_step s cross join lateral (
       select account_id, given_sequence, last_sequence, webhooks from webhook_givings g
       where g.account_id = s.account_id order by g.last_sequence
       limit (select $2 / count(*) from accounts_of_step)) oldest
     order by oldest.account_id, oldest.last_sequence`,
    [after, rowsMax],
  )
  return rows.map((row) => ({
    accountId: row.account_id,
    givenSequence: Number(row.given_sequence),
    lastSequence: Number(row.last_sequence),
    webhooks: row.webhooks,
  }))
}

/** How far a giving was given out by this transaction. */
export interface Reached {
  readonly giving: Giving
  readonly sequence: number
}

/** Writes down how far what was given out goes; what is given out whole is gone. */
export async function reachGivings(tx: Tx, reached: readonly Reached[]): Promise<void> {
  const isWhole = ({ giving, sequence }: Reached) => sequence >= giving.lastSequence
  const whole = reached.filter(isWhole)
  const parts = reached.filter((one) => !isWhole(one))
  if (whole.length > 0) {
    await tx.query(
      'giving_end',
      `delete from webhook_givings where (account_id, last_sequence) in (select * from unnest($1::text[], $2::bigint[]))`,
      [whole.map(({ giving }) => giving.accountId), whole.map(({ giving }) => giving.lastSequence)],
    )
  }
  if (parts.length > 0) {
    await tx.query(
      'giving_reach',
      `update webhook_givings g set given_sequence = n.reached
       from unnest($1::text[], $2::bigint[], $3::bigint[]) as n (account_id, last_sequence, reached)
       where g.account_id = n.account_id and g.last_sequence = n.last_sequence`,
      [
        parts.map(({ giving }) => giving.accountId),
        parts.map(({ giving }) => giving.lastSequence),
        parts.map(({ sequence }) => sequence),
      ],
    )
  }
}

/** Since when the oldest events that are not given out yet wait; null when none does. All of them were numbered then or later. */
export async function oldestGivingAt(tx: Tx): Promise<number | null> {
  const rows = await tx.query<{ created_at: Date }>(
    'giving_oldest',
    'select created_at from webhook_givings order by created_at limit 1',
  )
  return rows[0]?.created_at.getTime() ?? null
}

/** How many events wait to be given out, and since when the oldest of them does. */
export interface GivingFigures {
  /** Those of limits.webhookCountedMax rows at most. */
  readonly waiting: number
  readonly oldestAtMilliseconds: number | null
}

/** Counts up to a bound, as with deliveries. */
export async function givingFigures(tx: Tx): Promise<GivingFigures> {
  const rows = await tx.query<{ waiting: string }>(
    'figures_givings',
    `select coalesce(sum(last_sequence - given_sequence), 0) as waiting from (
       select last_sequence, given_sequence from webhook_givings order by account_id, last_sequence limit $1) as counted`,
    [limits.webhookCountedMax],
  )
  return { waiting: Number(rows[0]?.waiting ?? 0), oldestAtMilliseconds: await oldestGivingAt(tx) }
}
