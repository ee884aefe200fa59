import type { Chain } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import { openTurns } from '../kernel/turns.ts'
import type { Store } from '../store/postgres.ts'
import type { PurchaseBook } from './book.ts'
import type { Purchase } from './purchase.ts'
import { seenOf } from './seen.ts'
import { writeSeen } from './write-seen.ts'

export interface LookUntilPaidDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly book: Pick<PurchaseBook, 'used' | 'over'>
}

/**
 * Looks at a purchase until the chain shows that it was paid, or until the signal. Never rejects, and ends nothing: whatever is not seen here
 * is seen by the watch of all that is open (`watchPurchases`).
 */
export type LookUntilPaid = (chain: Chain, purchase: Purchase, over: AbortSignal) => Promise<void>

/**
 * For a buyer who waits: a seller that has handed out has settled by then as a rule, and the watch of all open purchases comes by once a second,
 * so a purchase took that second. Any instance may look; whoever sees it first says it.
 */
export function openLookUntilPaid(deps: LookUntilPaidDeps): LookUntilPaid {
  const { clock, log } = deps
  const inTurn = openTurns(limits.purchaseFindsAtOnceMax)

  async function isSeen(chain: Chain, purchase: Purchase, over: AbortSignal): Promise<boolean> {
    const { network } = chain.config
    try {
      const seen = await seenOf(chain, purchase, inTurn, over)
      if (seen?.kind !== 'used' || seen.use.kind !== 'paid') return false
      const ahead = await writeSeen(deps, network, [seen], 0n)
      return !ahead.has(purchase.paymentId)
    } catch (err) {
      log.debug({ network, paymentId: purchase.paymentId, err }, 'a purchase was not looked at')
      return false
    }
  }

  return async (chain, purchase, over) => {
    // Its bytes end with a block: whoever reads blocks sees it as they come.
    if (purchase.validBeforeSeconds === null) return
    let pause = firstPause(chain)
    while (!over.aborted && !(await isSeen(chain, purchase, over))) {
      await clock.sleep(pause, over)
      pause = Math.min(pause * 2, limits.purchaseUntilPaidMillisecondsMax)
    }
  }
}

/** A part of a block's time: the block that holds it may not have been read yet. */
function firstPause({ config }: Chain): number {
  const least = limits.purchaseUntilPaidMillisecondsMin
  const most = limits.purchaseUntilPaidMillisecondsMax
  return Math.min(Math.max(config.blockTimeMilliseconds / BLOCK_PARTS, least), most)
}

const BLOCK_PARTS = 4
