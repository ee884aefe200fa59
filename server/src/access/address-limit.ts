import { Refusal } from '@florin/wire/errors.ts'
import { limits } from '../kernel/limits.ts'
import { addressGroup } from './address-group.ts'
import { wholeSecondsLeft } from './rate-headers.ts'
import type { Taken, Windows } from './windows.ts'

/** What requests without a good key cost their address. Counted by each instance for itself. */
export interface AddressLimit {
  /** Counts a request without a good key. Throws Refusal RATE_LIMIT. */
  count(address: string): void
  /**
   * Counts the look-up of a key that nobody vouches for, before it is made. Throws Refusal RATE_LIMIT. The function that comes
   * back takes it out again: for a key that turned out to be good.
   */
  countLookUp(address: string): () => void
}

const ALL_LOOK_UPS = 'look-ups'

/**
 * Opens the counting by address. Only what fails is counted here, so a good key behind a shared address is served whatever its
 * neighbours do, and a flood of bad ones costs a fixed number of look-ups.
 */
export function openAddressLimit({ windows }: { readonly windows: Windows }): AddressLimit {
  return {
    count: (address) => {
      const name = `keyless ${addressGroup(address)}`
      demand(windows.take(name, limits.keylessRequestsPerAddress))
    },
    countLookUp: (address) => {
      const name = `look-ups ${addressGroup(address)}`
      demand(windows.take(name, limits.keyLookUpsPerAddress))
      demand(windows.take(ALL_LOOK_UPS, limits.keyLookUpsPerInstance))
      return () => {
        windows.giveBack(name)
        windows.giveBack(ALL_LOOK_UPS)
      }
    },
  }
}

function demand(taken: Taken): void {
  if (taken.allowed) return
  throw new Refusal('RATE_LIMIT', {
    message: 'Too many requests without a good key from this address.',
    retryAfterSeconds: wholeSecondsLeft(taken),
  })
}
