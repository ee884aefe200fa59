import type { NetworkId } from '@florin/wire/network.ts'
import type { Arrival } from '../chains/chain.ts'
import type { AddressOwner } from '../custody/store.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Tx } from '../store/postgres.ts'

/** Money that came to a custodial wallet, and whose wallet it is. */
export type Deposit = Arrival & AddressOwner

/**
 * What the followers tell the owner of the records about money that comes in. Every call runs in the transaction that moves the
 * follower's cursor, so that no deposit is lost and none counts twice; each may come again after a crash and must then change nothing.
 */
export interface DepositBook {
  /** Seen in blocks that may still be reorganised away; all of one transaction's in one call. */
  arrived(tx: Tx, config: NetworkConfig, deposits: readonly Deposit[]): Promise<void>
  /** The blocks above a height are not in the chain any more. */
  undone(tx: Tx, network: NetworkId, height: bigint): Promise<void>
  /** Settles deposits at or below a final height, at most `count` of them; how many. */
  final(tx: Tx, network: NetworkId, height: bigint, count: number): Promise<number>
}
