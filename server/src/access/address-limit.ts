import { Refusal } from '@florin/wire/errors.ts'
import { limits } from '../kernel/limits.ts'
import { addressGroup } from './address-group.ts'
import { wholeSecondsLeft } from './rate-headers.ts'
import type { Taken, Windows } from './windows.ts'

/** What requests without a good key cost their address. Counted by each instance for itself. */
export interface AddressLimit {
  /** Counts a request without a good key. Throws Refusal RATE_LIMIT. */
  count(address: string): void
  /** Counts a file of a page. Throws Refusal RATE_LIMIT. */
  countFile(address: string): void
  /** Counts the look-up of a key that nobody vouches for, before it is made. */
  countLookUp(address: string): LookUpAllowance
}

/** A look-up of one's own; or none, and what to answer unless the key is found with others' after all. */
export type LookUpAllowance =
  | {
      readonly allowed: true
      /** Takes it out again: the key was good, or nobody could say. */
      giveBack(): void
    }
  | { readonly allowed: false; readonly refusal: Refusal }

const ALL_LOOK_UPS = 'look-ups'

/**
 * Opens the counting by address. Only what fails is counted here, so a good key behind a shared address is served whatever its
 * neighbours do, and a flood of bad ones costs a fixed number of look-ups.
 */
export function openAddressLimit({ windows }: { readonly windows: Windows }): AddressLimit {
  const take = (name: string, limit: number) => {
    const taken = windows.take(name, limit)
    if (!taken.allowed) throw refusalOf(taken)
  }
  return {
    count: (address) => take(`keyless ${addressGroup(address)}`, limits.keylessRequestsPerAddress),
    countFile: (address) => take(`files ${addressGroup(address)}`, limits.filesPerAddress),
    countLookUp: (address) => {
      const name = `look-ups ${addressGroup(address)}`
      const own = windows.take(name, limits.keyLookUpsPerAddress)
      if (!own.allowed) return { allowed: false, refusal: refusalOf(own) }
      const all = windows.take(ALL_LOOK_UPS, limits.keyLookUpsPerInstance)
      if (!all.allowed) {
        windows.giveBack(name)
        return { allowed: false, refusal: refusalOf(all) }
      }
      const giveBack = () => {
        windows.giveBack(name)
        windows.giveBack(ALL_LOOK_UPS)
      }
      return { allowed: true, giveBack }
    },
  }
}

function refusalOf(taken: Taken): Refusal {
  return new Refusal('RATE_LIMIT', {
    message: 'Too many requests without a good key from this address.',
    retryAfterSeconds: wholeSecondsLeft(taken),
  })
}
