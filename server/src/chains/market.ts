import type { Address, Block, TransactionHash } from './chain.ts'
import type { TradeSide, VenueName } from './venue.ts'

/** Where in the chain something was seen. */
export interface MarketPlace {
  readonly venue: VenueName
  readonly transactionHash: TransactionHash
  readonly height: bigint
  readonly blockHash: string
  readonly timeMilliseconds: number
  /** Tells the things of one transaction apart: EVM the log's index, Solana the instruction's. */
  readonly effectIndex: number
}

/** A market that opened: from here on the token can be traded against native currency. */
export interface MarketOpened extends MarketPlace {
  readonly kind: 'opened'
  readonly mint: Address
  /** The pool, or the maker. */
  readonly market: Address
  readonly creator: Address | null
}

/** A trade of a token against native currency, whoever made it. Base units. */
export interface MarketTrade extends MarketPlace {
  readonly kind: 'trade'
  readonly side: TradeSide
  readonly mint: Address
  readonly market: Address
  readonly trader: Address
  readonly nativeAmount: bigint
  readonly tokenAmount: bigint
}

/** What a pool holds after something changed it. Base units. */
export interface MarketReserves extends MarketPlace {
  readonly kind: 'reserves'
  readonly mint: Address
  readonly market: Address
  readonly native: bigint
  readonly token: bigint
}

/** What a pool of a token and a hub shows: no market here, but it says what the token costs in the hub. Base units. */
export interface MarketHubState extends MarketPlace {
  readonly kind: 'hub'
  readonly mint: Address
  readonly market: Address
  readonly hub: Address
  readonly hubAmount: bigint
  readonly tokenAmount: bigint
  /** The amounts are what the pool holds; else what its last trade moved. */
  readonly isHeld: boolean
}

export type MarketFact = MarketOpened | MarketTrade | MarketReserves | MarketHubState

/** What a chain shows of its markets. Asks a node; throws NodeFailure when none answered properly. */
export interface MarketReader {
  /** In the order of the chain. Undefined when one of these blocks is not the chain's any more. One round trip for a few blocks. */
  read(blocks: readonly Block[]): Promise<readonly MarketFact[] | undefined>
}
