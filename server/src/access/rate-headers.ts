import type { Plan } from '../kernel/caller.ts'
import { limits } from '../kernel/limits.ts'
import type { Taken } from './windows.ts'

/** Seconds until the window is over, rounded up: whoever waits that long is not too early. */
export function wholeSecondsLeft({ resetAtMilliseconds, nowMilliseconds }: Taken): number {
  return Math.max(1, Math.ceil((resetAtMilliseconds - nowMilliseconds) / 1000))
}

/**
 * What an answer tells of the window it was counted in: the three headers that clients have long read, and the fields of
 * draft-ietf-httpapi-ratelimit-headers-11 (RFC 9651 lists of one string with parameters), named after the
 * plan, or after what is counted instead.
 */
export function rateHeaders(
  policy: Plan | 'session',
  limit: number,
  taken: Taken,
): Readonly<Record<string, string>> {
  const { remaining, resetAtMilliseconds } = taken
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(resetAtMilliseconds / 1000)),
    'ratelimit-policy': `"${policy}";q=${limit};w=${limits.rateWindowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${wholeSecondsLeft(taken)}`,
  }
}
