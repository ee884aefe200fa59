import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { foundPlaces } from '../sender/found-store.ts'
import type { Store } from '../store/postgres.ts'

/** A place that nodes have found in their history, and that no followed block holds. Its payments stay pending. */
export interface LookAt {
  readonly network: string
  readonly address: string
  readonly nonce: string
  /** The attempt that was found. */
  readonly hash: string
  readonly nodes: readonly string[]
  /** When the first of them found it, ISO 8601. */
  readonly since: string
}

/** Such places named at once; the oldest come first, and the next run names the others. */
const PLACES_MAX = 50

/** Places that were found so long ago that either a node is wrong or the follower is. */
export async function findToLookAt(store: Store, clock: Clock): Promise<readonly LookAt[]> {
  const beforeMilliseconds = clock.nowMilliseconds() - limits.foundUnseenSeconds * 1000
  const wanted = { network: null, beforeMilliseconds, count: PLACES_MAX }
  const places = await store.inTransaction('service', (tx) => foundPlaces(tx, wanted))
  return places.map(({ network, address, nonce, hash, nodes, sinceMilliseconds }) => ({
    network,
    address,
    nonce: `${nonce}`,
    hash,
    nodes,
    since: new Date(sinceMilliseconds).toISOString(),
  }))
}
