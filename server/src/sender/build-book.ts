import type { NetworkId } from '@florin/wire/network.ts'
import type { Seen, Sighting, Watched } from '../chains/self-custody.ts'
import type { Tx } from '../store/postgres.ts'

/** A transaction in a followed block. */
export type SightedPlace = Pick<Sighting, 'transactionHash' | 'height' | 'blockHash'>

/** What a followed block holds of builds, and nobody here could say what it did when the block was read. */
export interface UntoldBuilds {
  /** A few of those that may be told by now, others at each call; what one kind of them fails at keeps no other from being asked for. */
  places(tx: Tx, network: NetworkId): Promise<readonly (readonly SightedPlace[])[]>
  /** What they turn out to be, as `sighted` would have had it; in a transaction that the follower's fence guards. */
  told(tx: Tx, network: NetworkId, sightings: readonly Sighting[]): Promise<void>
  /** Those of the last `places` for which nobody answered, or that were not asked for. Left out where nobody counts how often they were. */
  unheard?(tx: Tx, network: NetworkId, places: readonly SightedPlace[]): Promise<void>
}

/**
 * What the followers tell the owner of transactions that were built here and are signed elsewhere. `hasLive` and `watched` are asked
 * after the blocks were read: what is built later cannot stand in them. Every other call runs in the transaction that moves the
 * follower's cursor; each may come again after a crash and must then change nothing.
 */
export interface BuildBook {
  /** Whether anything is looked for on a network: if not, the chain is not asked. */
  hasLive(tx: Tx, network: NetworkId): Promise<boolean>
  /** What of these is looked for. */
  watched(tx: Tx, network: NetworkId, seen: Seen): Promise<Watched>
  /** Before anything of a round is stored: holds what `sighted` will tell something of, where nobody may take it over meanwhile. */
  hold(tx: Tx, network: NetworkId, sightings: readonly Sighting[]): Promise<void>
  /** Seen in blocks that may still be reorganised away. */
  sighted(tx: Tx, network: NetworkId, sightings: readonly Sighting[]): Promise<void>
  /** The blocks above a height are not in the chain any more. */
  undone(tx: Tx, network: NetworkId, height: bigint): Promise<void>
  /** Left out where all that is looked for is read in its block. */
  readonly untold?: UntoldBuilds
  /** Closes what is decided at or below a final height, at most `count` of each kind; the most of one kind. */
  final(tx: Tx, network: NetworkId, height: bigint, count: number): Promise<number>
}
