import type { Chain } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import type { PaymentBook } from './book.ts'
import { markDead } from './place-store.ts'
import { freezeLane, lockLane } from './lane-store.ts'
import { hashesOf, laneFronts } from './transaction-store.ts'

/** Places that looked taken by a stranger in the last round: only the second look in a row decides. */
export type Suspects = Set<string>

const FOREIGN_USE = 'a transaction that this service did not make used a nonce of this wallet'

/**
 * Finds places whose nonce the chain's final state has passed although none of our bytes for it were mined: somebody else signs with
 * this key. One look decides nothing, since a node may have the count before it has the receipt: at the second in a row that found
 * all of our hashes absent, the lane is frozen and the payment fails.
 */
export async function guardLanes(
  { chain, store, book, log }: { chain: Chain; store: Store; book: PaymentBook; log: Log },
  suspects: Suspects,
): Promise<void> {
  const { network } = chain.config
  const fronts = await store.inTransaction('service', (tx) =>
    laneFronts(tx, network, limits.laneFrontsMax),
  )
  const seen = new Set<string>()
  for (const front of fronts) {
    // Position first, receipts after: a transaction of ours that counts in the position is then found.
    const position = await chain.lanePosition(front.laneAddress)
    if (position.finalized <= front.nonce) continue
    const hashes = await store.inTransaction('service', (tx) => hashesOf(tx, [front.transactionId]))
    const outcomes = await chain.outcomes(hashes.get(front.transactionId) ?? [])
    if (outcomes.some(({ state }) => state === 'mined')) continue
    seen.add(front.transactionId)
    if (!suspects.has(front.transactionId)) continue
    log.error(
      {
        network,
        address: front.laneAddress,
        nonce: String(front.nonce),
        requestId: front.requestId,
      },
      'a transaction that is not ours took a nonce of this key: lane frozen',
    )
    await store.inTransaction('service', async (tx) => {
      await lockLane(tx, network, front.laneAddress, front.nonce)
      await freezeLane(tx, network, front.laneAddress, FOREIGN_USE)
      const paymentIds = await markDead(tx, front.transactionId)
      if (paymentIds.length > 0) {
        await book.dead(tx, [{ network, reason: 'nonce_used_by_another_transaction', paymentIds }])
      }
    })
  }
  suspects.clear()
  for (const id of seen) suspects.add(id)
}
