import type { Block, Chain } from '../chains/chain.ts'
import type { Sighting } from '../chains/self-custody.ts'
import type { Store } from '../store/postgres.ts'
import type { BuildBook } from './build-book.ts'

/**
 * What became of transactions that were built here, in the given blocks; undefined when the chain has moved meanwhile. A network on
 * which nothing is looked for costs one look at the database and no call to a node.
 */
export async function readSightings(
  { chain, store, builds }: { chain: Chain; store: Store; builds?: BuildBook | undefined },
  blocks: readonly Block[],
): Promise<readonly Sighting[] | undefined> {
  const { selfCustody, config } = chain
  if (selfCustody === undefined || builds === undefined) return []
  const { network } = config
  if (!(await builds.hasLive(store, network))) return []
  return selfCustody.sightings(blocks, (seen) =>
    store.inTransaction('service', (tx) => builds.watched(tx, network, seen)),
  )
}
