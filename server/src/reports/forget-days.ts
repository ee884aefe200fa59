import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { dayBefore } from './count-requests.ts'
import { forgetDays } from './day-store.ts'

/** Removes counts of days that are older than limits.requestCountsKeptDays. Says whether more may wait. */
export function forgetOldDays(tx: Tx, nowMilliseconds: number): Promise<boolean> {
  return forgetDays(tx, dayBefore(nowMilliseconds, limits.requestCountsKeptDays))
}
