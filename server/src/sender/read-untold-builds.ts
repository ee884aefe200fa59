import { NodeFailure } from '../chains/chain.ts'
import type { Block } from '../chains/chain.ts'
import type { SightedPlace } from './build-book.ts'
import type { FollowDeps } from './follow.ts'
import { storeFinality } from './follower-store.ts'
import type { Cursor } from './follower-store.ts'
import { turnsOf } from './read-untold.ts'

/**
 * Reads again what followed blocks hold of transactions that others sent and nobody here could read, as after the module of a venue has come
 * back, or of which the nodes contradict each other. What is told is taken in as its block would have been; whatever stands in a block that has left the chain was forgotten with it.
 */
export async function readUntoldBuilds(
  deps: Pick<FollowDeps, 'chain' | 'store' | 'builds' | 'log'>,
  cursor: Cursor,
): Promise<void> {
  const { store, builds } = deps
  const { network } = cursor
  const untold = builds?.untold
  if (untold === undefined) return
  const kinds = await store.inTransaction('service', (tx) => untold.places(tx, network))
  for (const places of kinds) await readEach(deps, cursor, places)
}

async function readEach(
  deps: Parameters<typeof readUntoldBuilds>[0],
  cursor: Cursor,
  places: readonly SightedPlace[],
): Promise<void> {
  const { store, builds, log } = deps
  const { network } = cursor
  const unheard = new Set(places)
  let failures = 0
  // The blocks of some may be gone from every node for good: these are not the first of each look.
  for (const index of turnsOf(places.length, cursor.height)) {
    const place = places[index]
    if (place === undefined || failures >= FAILURES_MAX) break
    try {
      if (await readAgain(deps, cursor, place)) unheard.delete(place)
    } catch (error) {
      // What nobody tells must not keep anybody from following.
      if (!(error instanceof NodeFailure)) throw error
      failures += 1
      const facts = { network, hash: place.transactionHash, reason: error }
      log.warn(facts, 'what nobody has told of a transaction of others was not asked again')
    }
  }
  const count = builds?.untold?.unheard
  if (count === undefined || unheard.size === 0) return
  await store.inTransaction('service', (tx) => count(tx, network, [...unheard]))
}

/** One that no node will answer for keeps nobody else from being heard; nodes that answer nothing at all are not waited for many times. */
const FAILURES_MAX = 2

/** Whether a node said something of it, be it that nobody can tell what it did. */
async function readAgain(
  { chain, store, builds }: Pick<FollowDeps, 'chain' | 'store' | 'builds'>,
  cursor: Cursor,
  { transactionHash, height, blockHash }: SightedPlace,
): Promise<boolean> {
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
  if (sightings.length === 0) return false
  await store.inTransaction('service', async (tx) => {
    // The cursor's fence: whoever lost the lease takes nothing in, and nobody undoes blocks meanwhile.
    await storeFinality(tx, cursor, cursor.finalizedHeight)
    await builds?.hold(tx, network, sightings)
    await builds?.untold?.told(tx, network, sightings)
  })
  return true
}
