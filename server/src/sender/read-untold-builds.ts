import { NodeFailure } from '../chains/chain.ts'
import type { Block } from '../chains/chain.ts'
import type { SightedPlace } from './build-book.ts'
import type { FollowDeps } from './follow.ts'
import { storeFinality } from './follower-store.ts'
import type { Cursor } from './follower-store.ts'

/**
 * Reads again what followed blocks hold of transactions that others signed and nobody here could read, as after the module of a venue has come
 * back. What is told is taken in as its block would have been; whatever stands in a block that has left the chain was forgotten with it.
 */
export async function readUntoldBuilds(
  deps: Pick<FollowDeps, 'chain' | 'store' | 'builds' | 'log'>,
  cursor: Cursor,
): Promise<void> {
  const { store, builds, log } = deps
  const { network } = cursor
  const untold = builds?.untold
  if (untold === undefined) return
  const places = await store.inTransaction('service', (tx) => untold.places(tx, network))
  for (const place of places) {
    try {
      await readAgain(deps, cursor, place)
    } catch (error) {
      // What nobody tells must not keep anybody from following.
      if (!(error instanceof NodeFailure)) throw error
      log.warn({ network, reason: error }, 'what a venue has not told was not asked again')
      return
    }
  }
}

async function readAgain(
  { chain, store, builds }: Pick<FollowDeps, 'chain' | 'store' | 'builds'>,
  cursor: Cursor,
  { transactionHash, height, blockHash }: SightedPlace,
): Promise<void> {
  const { network } = cursor
  const block: Block = {
    height,
    hash: blockHash,
    parentHash: '',
    timeMilliseconds: 0,
    transactionHashes: [transactionHash],
  }
  const read = await chain.selfCustody?.sightings([block], (seen) =>
    store.inTransaction('service', async (tx) => {
      const none = { senders: new Set<never>(), commitments: new Set<never>() }
      return (await builds?.watched(tx, network, seen)) ?? none
    }),
  )
  const sightings = (read ?? []).filter((each) => each.transactionHash === transactionHash)
  if (sightings.length === 0) return
  await store.inTransaction('service', async (tx) => {
    // The cursor's fence: whoever lost the lease takes nothing in, and nobody undoes blocks meanwhile.
    await storeFinality(tx, cursor, cursor.finalizedHeight)
    await builds?.hold(tx, network, sightings)
    await builds?.untold?.told(tx, network, sightings)
  })
}
