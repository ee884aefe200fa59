import { isObject } from './is-object.ts'
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
  return failed.kind === 'lost' || failed.status === 429 || failed.status === 503
}

/** Codes of the service that leave it open what becomes of the request, or of an earlier one like it. */
const OPEN_CODES: readonly unknown[] = ['SETTLEMENT_PENDING', 'IDEMPOTENCY_CONFLICT']

/** Whether it is open what the service did: no answer, one that leaves it open, or one that is not the service's. */
export function isUnclear(failed: Failed): boolean {
  if (failed.kind === 'lost') return failed.sent
  const { status, error } = failed
  if (error === undefined) return status >= 500 || (status >= 200 && status < 300)
  return [500, 502, 504].includes(status) || OPEN_CODES.includes(error['code'])
}

/** Whether the service says that nobody listens at the address of a seller. Nothing was signed by that request. */
export function isSellerAway(failed: Failed): boolean {
  if (failed.kind === 'lost' || failed.error?.['code'] !== 'NETWORK_ERROR') return false
  const { details } = failed.error
  return isObject(details) && details['reason'] === 'not_connected'
}

/** A failure after the commit: the payment exists, and its status says more than another try. */
function namesPayment(failed: Failed): boolean {
  if (failed.kind === 'lost' || failed.error?.['code'] !== 'INTERNAL_ERROR') return false
  const { details } = failed.error
  return isObject(details) && 'paymentId' in details
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
