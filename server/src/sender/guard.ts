import type { Address, Chain } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import type { PaymentBook } from './book.ts'
import { markDead } from './follower-store.ts'
import { freezeLane, lockLane } from './lane-store.ts'
import { hashesOf, laneFronts } from './transaction-store.ts'

/** Places that looked taken by a stranger in the last round: only the second look in a row decides. */
export type Suspects = Set<string>

/**
 * Finds places whose nonce the chain has used up although none of our bytes for it were mined: somebody else signs with
 * this key. The lane is frozen at the first sight. The payment fails only when the chain's final state has passed the nonce,
 * every one of our hashes was looked up and found absent, and a second round saw the same.
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
    if (position.latest <= front.nonce) continue
    const hashes = await store.inTransaction('service', (tx) => hashesOf(tx, [front.transactionId]))
    const outcomes = await chain.outcomes(hashes.get(front.transactionId) ?? [])
    if (outcomes.some(({ state }) => state === 'mined')) continue
    await freeze({ store, log }, front.laneAddress, network)
    if (position.finalized <= front.nonce) continue
    seen.add(front.transactionId)
    if (!suspects.has(front.transactionId)) continue
    log.error(
      { network, address: front.laneAddress, nonce: String(front.nonce) },
      'nonce taken for ever',
    )
    await store.inTransaction('service', async (tx) => {
      await lockLane(tx, network, front.laneAddress, front.nonce)
      const paymentIds = await markDead(tx, front.transactionId)
      if (paymentIds.length > 0) {
        await book.dead(tx, [{ network, reason: 'nonce_used_by_another_transaction', paymentIds }])
      }
    })
  }
  suspects.clear()
  for (const id of seen) suspects.add(id)
}

async function freeze(
  { store, log }: { store: Store; log: Log },
  address: Address,
  network: Chain['config']['network'],
): Promise<void> {
  log.error({ network, address }, 'a transaction that is not ours used this key: lane frozen')
  await store.inTransaction('service', (tx) =>
    freezeLane(
      tx,
      network,
      address,
      'a transaction that this service did not make used a nonce of this wallet',
    ),
  )
}
