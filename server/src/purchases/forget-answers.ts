import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { forgetAnswers } from './live-store.ts'

const DAY_MILLISECONDS = 24 * 3_600_000
const ANSWERS_PER_STATEMENT_MAX = 100

/** Forgets what sellers answered once no key can ask for it any more. */
export function forgetOldAnswers(tx: Tx, nowMilliseconds: number): Promise<void> {
  const before = nowMilliseconds - limits.idempotencyDays * DAY_MILLISECONDS
  return forgetAnswers(tx, before, ANSWERS_PER_STATEMENT_MAX)
}
