import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { oldDoubted } from '../purchases/doubt-store.ts'
import { foundPlaces } from '../sender/found-store.ts'
import { oldUnreadDeposits } from '../sender/unread-deposit-store.ts'
import { oldUnreadBuilds } from '../transactions/unread-store.ts'
import type { Store } from '../store/postgres.ts'

/**
 * A place that nodes have found in their history, and that no followed block holds: its payments stay pending. Or a deposit in a followed block that
 * no node tells, which is not recorded until one does; or a built payment in one, which is pending until one does; or a purchase in one of which the nodes
 * contradict each other whether it failed.
 */
export interface LookAt {
  readonly network: string
  readonly address: string
  /** `deposit`, `build` and `purchase` where it is one. */
  readonly nonce: string
  /** The attempt that was found. */
  readonly hash: string
  readonly nodes: readonly string[]
  /** When the first of them found it, ISO 8601; of a build when it was built, of a purchase when it was signed. */
  readonly since: string
}

const NODES = ['a followed block, untold']

/** Such places named at once; the oldest come first, and the next run names the others. */
const PLACES_MAX = 50

/** Places that were found so long ago that either a node is wrong or the follower is. */
export async function findToLookAt(store: Store, clock: Clock): Promise<readonly LookAt[]> {
  const beforeMilliseconds = clock.nowMilliseconds() - limits.foundUnseenSeconds * 1000
  const wanted = { network: null, beforeMilliseconds, count: PLACES_MAX }
  const [places, deposits, builds, purchases] = await store.inTransaction('service', async (tx) => [
    await foundPlaces(tx, wanted),
    await oldUnreadDeposits(tx, wanted),
    await oldUnreadBuilds(tx, wanted),
    await oldDoubted(tx, wanted),
  ])
  const found = places.map(({ network, address, nonce, hash, nodes, sinceMilliseconds }) => ({
    network,
    address,
    nonce: `${nonce}`,
    hash,
    nodes,
    since: new Date(sinceMilliseconds).toISOString(),
  }))
  const unread = [
    ...deposits.map((each) => ({ ...each, nonce: 'deposit' })),
    ...builds.map((each) => ({ ...each, nonce: 'build' })),
    ...purchases.map((each) => ({ ...each, nonce: 'purchase' })),
  ].map(({ sinceMilliseconds, ...each }) => ({
    ...each,
    nodes: NODES,
    since: new Date(sinceMilliseconds).toISOString(),
  }))
  return [...found, ...unread]
}
