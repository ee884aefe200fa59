import { limits } from './limits.ts'
import type { Failed } from './try-once.ts'

/** How an operation may be repeated when nobody knows what became of a request. */
export type Repeat = 'freely' | 'with its key' | 'never'

/**
 * Whether the same request may go out once more. Where it is open what happened, only what is harmless twice, or
 * carries its key, is repeated.
 */
export function mayRepeat(failed: Failed, repeat: Repeat): boolean {
  if (isUnclear(failed)) return repeat !== 'never' && !namesPayment(failed)
  if (failed.kind === 'lost' || failed.status === 429 || failed.status === 503) return true
  // Our own earlier request is still being accepted: it would be wrong to call that a failure.
  return failed.error?.['code'] === 'IDEMPOTENCY_CONFLICT'
}

/** Whether it is open what the service did: no answer, or a failure in it or in a proxy before it. */
export function isUnclear(failed: Failed): boolean {
  return failed.kind === 'lost' ? failed.sent : [500, 502, 504].includes(failed.status)
}

/** A failure after the commit: the payment exists, and its status says more than another try. */
function namesPayment(failed: Failed): boolean {
  const details = failed.kind === 'refused' ? failed.error?.['details'] : undefined
  return typeof details === 'object' && details !== null && 'paymentId' in details
}

/** Milliseconds to wait after so many tries: doubled each time, spread, never less than the service asked for. */
export function pauseMilliseconds(
  tries: number,
  retryAfterSeconds: number | undefined,
  random: () => number,
): number {
  const doubled = limits.pauseFirstMilliseconds * 2 ** (tries - 1)
  const most = Math.min(doubled, limits.pauseMaxMilliseconds)
  const asked = (retryAfterSeconds ?? 0) * 1000
  return asked + Math.ceil(most / 2 + (most / 2) * random())
}
