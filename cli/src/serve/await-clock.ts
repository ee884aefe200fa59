import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'

/** Before x402 was there. A clock that was never set shows 1970, or the year in which its machine was built. */
const EARLIEST_MILLISECONDS = Date.UTC(2025, 0, 1)
const PAUSE_MILLISECONDS = 1_000
/** Told again after so many looks. */
const LOOKS_BETWEEN_LINES = 30

/**
 * Waits until the machine's clock has been set, as one without a battery is some time after it was switched on. What is kept for a number of
 * days would be forgotten with the first correction, idempotency keys among it: a repeat of a payment would pay again.
 */
export async function awaitClock({
  clock,
  log,
  signal,
}: {
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}): Promise<void> {
  for (let looks = 0; !signal.aborted; looks += 1) {
    const nowMilliseconds = clock.nowMilliseconds()
    if (nowMilliseconds >= EARLIEST_MILLISECONDS) return
    if (looks % LOOKS_BETWEEN_LINES === 0) {
      const reason = `it says ${new Date(nowMilliseconds).toISOString()}`
      log.warn(
        { reason },
        'the clock of this machine is not set yet: nothing is started until it is',
      )
    }
    await clock.sleep(PAUSE_MILLISECONDS, signal)
  }
}
