import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { forgetAnswers } from './live-store.ts'

const DAY_MILLISECONDS = 24 * 3_600_000
const ANSWERS_PER_STATEMENT_MAX = 100

/** Forgets what sellers answered once no key can ask for it any more, a bounded number at a time. Says whether more may wait. */
export async function forgetOldAnswers(tx: Tx, nowMilliseconds: number): Promise<boolean> {
  const before = nowMilliseconds - limits.idempotencyDays * DAY_MILLISECONDS
  const forgotten = await forgetAnswers(tx, before, ANSWERS_PER_STATEMENT_MAX)
  return forgotten >= ANSWERS_PER_STATEMENT_MAX
}
