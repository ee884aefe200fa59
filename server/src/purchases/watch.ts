import type { Chain } from '../chains/chain.ts'
import { endedLifetimes } from '../chains/ended-lifetimes.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import { openTurns } from '../kernel/turns.ts'
import { withinReach } from '../sender/follower-store.ts'
import type { Store } from '../store/postgres.ts'
import type { PurchaseBook } from './book.ts'
import { noteDead, noteLooks, silentPurchases } from './live-store.ts'
import type { OpenPurchase } from './live-store.ts'
import { seenOf } from './seen.ts'
import type { Seen } from './seen.ts'
import { writeSeen } from './write-seen.ts'

export interface WatchPurchasesDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly book: PurchaseBook
}

const FIRST_PAUSE_MILLISECONDS = 500
const DOUBLINGS_MAX = 10
/** Purchases of one look that cannot be written, after which no other of it is tried. */
const UNWRITTEN_MAX = 3

/**
 * Asks the chain about authorizations of which nothing has been seen, many together, so that what one buyer has open delays no other. Only what
 * is final ends one; a look that failed says nothing, and the authorization is looked at again in its turn.
 */
export async function watchPurchases(
  deps: WatchPurchasesDeps,
  chain: Chain,
  finalizedHeight: bigint,
  stopping?: AbortSignal,
): Promise<void> {
  const { store, clock } = deps
  const { network } = chain.config
  const due = await store.inTransaction('service', (tx) =>
    silentPurchases(tx, network, clock.nowMilliseconds()),
  )
  if (due.length === 0) return
  await lookAtLifetimes(deps, chain, due)
  for (let from = 0; from < due.length; from += limits.purchasesPerReadMax) {
    if (stopping?.aborted === true) return
    const together = due.slice(from, from + limits.purchasesPerReadMax)
    const ahead = await lookAt(deps, chain, together, finalizedHeight, stopping)
    const now = clock.nowMilliseconds()
    const looks = together.map(({ paymentId, looks: before }) => {
      const pause = ahead.has(paymentId) ? FIRST_PAUSE_MILLISECONDS : pauseAfter(before)
      return { paymentId, looks: before, lookAtMilliseconds: now + pause }
    })
    await store.inTransaction('service', (tx) => noteLooks(tx, looks))
  }
}

function pauseAfter(looks: number): number {
  const doubled = FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(looks, DOUBLINGS_MAX)
  return Math.min(doubled, limits.purchaseLookSecondsMax * 1000)
}

/** Asks for all of them in one turn of the loop, so that they share the questions to the node. Gives those that are to be looked at in a moment. */
async function lookAt(
  deps: WatchPurchasesDeps,
  chain: Chain,
  purchases: readonly OpenPurchase[],
  finalizedHeight: bigint,
  stopping?: AbortSignal,
): Promise<ReadonlySet<PaymentId>> {
  const { log } = deps
  const { network } = chain.config
  const failed = (paymentId: PaymentId, err: unknown) =>
    log.warn({ network, paymentId, err }, 'an open authorization was not looked at')
  // What they were used by takes several questions each, some of which nobody else's may share.
  const inTurn = openTurns(limits.purchaseFindsAtOnceMax)
  const words = await Promise.all(
    purchases.map((purchase) =>
      seenOf(chain, purchase, inTurn, stopping).catch((error: unknown) =>
        failed(purchase.paymentId, error),
      ),
    ),
  )
  const seen = words.filter((word): word is Seen => word !== undefined)
  try {
    return await writeSeen(deps, network, seen, finalizedHeight)
  } catch {
    // One that cannot be written takes nothing from the others; where several cannot it is the database.
    const ahead = new Set<PaymentId>()
    let failures = 0
    for (const each of seen) {
      const { paymentId } = each.purchase
      if (stopping?.aborted === true || failures >= UNWRITTEN_MAX) break
      try {
        for (const id of await writeSeen(deps, network, [each], finalizedHeight)) ahead.add(id)
      } catch (own) {
        failures += 1
        failed(paymentId, own)
      }
    }
    return ahead
  }
}

/**
 * Notes those whose lifetime is over. That only counts once our own chain is final up to the block that the word is about: whatever
 * could have been included was read by then.
 */
async function lookAtLifetimes(
  { store }: WatchPurchasesDeps,
  { config, renewal }: Chain,
  purchases: readonly OpenPurchase[],
): Promise<void> {
  const mortals = purchases.flatMap(({ paymentId, stored, lastValidBlockHeight }) =>
    lastValidBlockHeight === null
      ? []
      : [
          {
            paymentId,
            lastValidBlockHeight,
            raw: Buffer.from(stored['transaction'] ?? '', 'base64'),
          },
        ],
  )
  const over = await endedLifetimes(renewal, mortals)
  if (over.length === 0) return
  const dead = over.map(({ mortal: { paymentId }, height }) => ({ paymentId, height }))
  await store.inTransaction('service', async (tx) => {
    await noteDead(tx, await withinReach(tx, config.network, dead))
  })
}
