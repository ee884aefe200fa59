import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'

/** Requests of which an account has bought goods that were too long to hand on: the next one would be paid for as well, and come to as little. */
export interface TooLong {
  note(accountId: AccountId, requestDigest: Uint8Array): void
  isKnown(accountId: AccountId, requestDigest: Uint8Array): boolean
}

/**
 * Remembers them in this instance alone, for an hour, the newest of them (limits.fetchTooLongMax). It saves a payment and decides none: whoever asks another
 * instance pays once more.
 */
export function openTooLong(clock: Pick<Clock, 'nowMilliseconds'>): TooLong {
  const until = new Map<string, number>()
  return {
    note: (accountId, requestDigest) => {
      const name = nameOf(accountId, requestDigest)
      until.delete(name)
      until.set(name, clock.nowMilliseconds() + limits.fetchTooLongSeconds * 1000)
      const [oldest] = until.keys()
      if (until.size > limits.fetchTooLongMax && oldest !== undefined) until.delete(oldest)
    },
    isKnown: (accountId, requestDigest) => {
      const name = nameOf(accountId, requestDigest)
      const isKnown = clock.nowMilliseconds() < (until.get(name) ?? 0)
      if (!isKnown) until.delete(name)
      return isKnown
    },
  }
}

function nameOf(accountId: AccountId, requestDigest: Uint8Array): string {
  return `${accountId} ${Buffer.from(requestDigest).toString('base64')}`
}
