import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { forgetKeys } from './store.ts'

const DAY_MILLISECONDS = 24 * 3_600_000
const EVERY_MILLISECONDS = 3_600_000
const KEYS_PER_STATEMENT_MAX = 1_000

/**
 * Removes keys that are older than the promise to keep them, and whatever else has had its time: every hour, a bounded number at a time.
 * Gives the way to stop.
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
  others?: readonly ((tx: Tx, nowMilliseconds: number) => Promise<void>)[]
}): () => Promise<void> {
  const stopping = new AbortController()
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const before = clock.nowMilliseconds() - limits.idempotencyDays * DAY_MILLISECONDS
        await store.inTransaction('service', (tx) => forgetKeys(tx, before, KEYS_PER_STATEMENT_MAX))
      } catch (error) {
        log.warn({ reason: error }, 'old idempotency keys were not removed')
      }
      for (const forget of others) {
        try {
          await store.inTransaction('service', (tx) => forget(tx, clock.nowMilliseconds()))
        } catch (error) {
          log.warn({ reason: error }, 'what has had its time was not removed')
        }
      }
      await clock.sleep(EVERY_MILLISECONDS, stopping.signal)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
