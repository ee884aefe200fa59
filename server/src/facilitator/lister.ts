import type { PaidListing } from '../catalogue/listing.ts'
import { noteListing } from '../catalogue/store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Kept } from '../kernel/kept.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import { countInCatalogue } from './claim-store.ts'
import { countDepositInCatalogue } from './counted-deposit-store.ts'
import type { CallName } from './escrow-call-store.ts'

export interface ListerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly kept: Kept
}

/** What counts once: a payment, or a deposit into an escrow. */
export type Counted = { readonly paymentId: PaymentId } | { readonly deposit: CallName }

/** Something whose success was given out, and what it was settled for. */
export interface ToList {
  readonly accountId: AccountId
  readonly counted: Counted
  readonly listing: PaidListing
}

/** Takes it in hand and returns at once; false when too many wait already. */
export type Lister = (toList: ToList) => boolean

/**
 * Lists one after the other, beside the answers: settlements of one resource write one row, and would wait for it with a connection of the
 * database each. A listing that could not be stored is logged; a crash loses those that wait.
 */
export function openLister({ store, clock, log, kept }: ListerDeps): Lister {
  const waiting: ToList[] = []
  let isAtWork = false

  async function list({ accountId, counted, listing }: ToList): Promise<void> {
    try {
      await store.inTransaction(accountId, async (tx) => {
        const isFirst = await ('deposit' in counted
          ? countDepositInCatalogue(tx, accountId, counted.deposit)
          : countInCatalogue(tx, accountId, counted.paymentId))
        if (!isFirst) return
        await noteListing(tx, accountId, listing, clock.nowMilliseconds())
      })
    } catch (error) {
      const what =
        'deposit' in counted
          ? { network: counted.deposit.network }
          : { paymentId: counted.paymentId }
      log.warn({ accountId, ...what, err: error }, 'a settled resource was not listed')
    }
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await list(next)
    isAtWork = false
  }

  return (toList) => {
    if (waiting.length >= limits.catalogueWaitingMax) return false
    waiting.push(toList)
    if (isAtWork) return true
    isAtWork = true
    kept.keep(work())
    return true
  }
}
