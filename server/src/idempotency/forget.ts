import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { forgetKeys } from './store.ts'

const DAY_MILLISECONDS = 24 * 3_600_000
const KEYS_PER_STATEMENT_MAX = 1_000

/** Removes a bounded number of what has had its time. Says whether it was so many, so that more may wait. */
export type Forget = (tx: Tx, nowMilliseconds: number) => Promise<boolean>

/**
 * Removes keys that are older than the promise to keep them, and whatever else has had its time: every hour, a bounded number at a time,
 * until nothing is left of it. Gives the way to stop.
 */
export function startForgetting({
  store,
  clock,
  log,
  others = [],
}: {
  store: Store
  clock: Clock
  log: Log
  /** What other rooms forget at the same times, each in a transaction of its own. */
  others?: readonly Forget[]
}): () => Promise<void> {
  const stopping = new AbortController()

  /** All take turns, so that nobody's great many hold up the others. */
  async function look(): Promise<void> {
    let open: readonly Forget[] = [forgetOldKeys, ...others]
    for (let round = 0; round < limits.forgetRoundsMax && open.length > 0; round += 1) {
      if (round > 0) await clock.sleep(limits.forgetPauseMilliseconds, stopping.signal)
      open = await forgetOnce(open)
    }
  }

  /** Gives those of which more may wait. What fails waits for the next look. */
  async function forgetOnce(open: readonly Forget[]): Promise<readonly Forget[]> {
    const unfinished: Forget[] = []
    for (const forget of open) {
      if (stopping.signal.aborted) return []
      try {
        const hasMore = await store.inTransaction('service', (tx) =>
          forget(tx, clock.nowMilliseconds()),
        )
        if (hasMore) unfinished.push(forget)
      } catch (error) {
        log.warn({ reason: error }, 'what has had its time was not removed')
      }
    }
    return unfinished
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look()
      await clock.sleep(limits.forgetSeconds * 1000, stopping.signal)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

export async function forgetOldKeys(tx: Tx, nowMilliseconds: number): Promise<boolean> {
  const before = nowMilliseconds - limits.idempotencyDays * DAY_MILLISECONDS
  return (await forgetKeys(tx, before, KEYS_PER_STATEMENT_MAX)) >= KEYS_PER_STATEMENT_MAX
}
