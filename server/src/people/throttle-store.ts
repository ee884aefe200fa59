import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

const IS_OVER = '(w.until <= to_timestamp($2 / 1000.0) or w.until > to_timestamp($4 / 1000.0))'

/**
 * Counts an attempt about the subject in its window, which begins with its first; one that ends later than any can began before a clock was
 * set back, and is over. Gives how many it has had, this one included.
 */
export async function countAttempt(
  tx: Tx,
  subject: Uint8Array,
  {
    nowMilliseconds,
    untilMilliseconds,
  }: {
    readonly nowMilliseconds: number
    readonly untilMilliseconds: number
  },
): Promise<{ readonly attempts: number; readonly untilMilliseconds: number }> {
  const [row] = await tx.query<{ attempts: number; until: Date }>(
    'people_count_attempt',
    `insert into sign_in_windows as w (subject, attempts, until) values ($1, 1, to_timestamp($3 / 1000.0))
     on conflict (subject) do update set
       attempts = case when ${IS_OVER} then 1 else least(w.attempts, 1000000) + 1 end,
       until = case when ${IS_OVER} then excluded.until else w.until end
     returning attempts, until`,
    [
      ...[subject, nowMilliseconds, untilMilliseconds],
      untilMilliseconds + limits.clockAheadSeconds * 1000,
    ],
  )
  if (row === undefined) throw new Error('an attempt was not counted')
  return { attempts: row.attempts, untilMilliseconds: row.until.getTime() }
}

/** Takes one attempt back. */
export async function takeAttemptBack(tx: Tx, subject: Uint8Array): Promise<void> {
  await tx.query(
    'people_take_attempt_back',
    'update sign_in_windows set attempts = greatest(attempts - 1, 0) where subject = $1',
    [subject],
  )
}

/** Removes windows that are over, a bounded number at a time. Says how many. */
export async function forgetAttempts(
  tx: Tx,
  nowMilliseconds: number,
  count: number,
): Promise<number> {
  const removed = await tx.query(
    'people_forget_attempts',
    `delete from sign_in_windows where subject in (
       select subject from sign_in_windows where until < to_timestamp($1 / 1000.0) order by until limit $2)
     returning 1`,
    [nowMilliseconds, count],
  )
  return removed.length
}
