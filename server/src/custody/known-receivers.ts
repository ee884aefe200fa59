import type { Family } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { hasLeft } from '../kernel/has-left.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openRecent } from '../kernel/recent.ts'
import { shareReads } from '../store/shared-reads.ts'
import type { Store } from '../store/postgres.ts'
import { receiverAccounts } from './receiver-store.ts'

/** A receiving address whose account is asked for. */
export interface AskedReceiver {
  readonly family: Family
  readonly address: Address
}

/** Who may claim payments to an address, for statements that bind nobody: whatever moves money asks the database. */
export interface KnownReceivers {
  /**
   * As of limits.receiverCacheMilliseconds ago at most; what was registered or given up by this instance, at once. No promise where it is
   * remembered.
   */
  accountOf(asked: AskedReceiver): AccountId | undefined | Promise<AccountId | undefined>
  /** Call it when a registration was committed or given up. */
  forget(asked: AskedReceiver): void
}

interface Known {
  readonly accountId: AccountId | undefined
  readonly untilMilliseconds: number
}

/** Remembers for a moment whose an address is: a seller's verifications are all for one address. */
export function openKnownReceivers({
  store,
  clock,
}: {
  readonly store: Store
  readonly clock: Clock
}): KnownReceivers {
  const known = openRecent<Known>(limits.knownReceiversMax)
  /** Grows with every change of this instance: what was asked before one may be old. */
  let changes = 0
  const read = shareReads({
    read: (asked: readonly AskedReceiver[]) => receiverAccounts(store, asked),
    underWayMax: limits.receiverReadsUnderWayMax,
    sharedMax: limits.receiverReadsSharedMax,
  })
  const nameOf = ({ family, address }: AskedReceiver) => `${family} ${address}`

  async function ask(
    asked: AskedReceiver,
    name: string,
    now: number,
  ): Promise<AccountId | undefined> {
    const before = changes
    const accountId = await read(asked)
    if (changes === before) {
      known.set(name, { accountId, untilMilliseconds: now + limits.receiverCacheMilliseconds })
    }
    return accountId
  }

  return {
    accountOf: (asked) => {
      const name = nameOf(asked)
      const now = clock.nowMilliseconds()
      const one = known.get(name)
      if (
        one !== undefined &&
        hasLeft(one.untilMilliseconds, now, limits.receiverCacheMilliseconds)
      ) {
        return one.accountId
      }
      return ask(asked, name, now)
    },
    forget: (asked) => {
      changes += 1
      known.set(nameOf(asked), { accountId: undefined, untilMilliseconds: 0 })
    },
  }
}
