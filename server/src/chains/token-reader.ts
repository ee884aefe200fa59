import type { Address } from './chain.ts'

/** What a chain says of a token. Null: not known, or not there. */
export interface TokenFacts {
  readonly mint: Address
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number
  /** Base units. */
  readonly supply: bigint
  readonly creator: Address | null
  readonly createdAtMilliseconds: number | null
  readonly imageUrl: string | null
  /** Solana: who may make more, or freeze accounts. */
  readonly mintAuthority: Address | null
  readonly freezeAuthority: Address | null
  /** Solana, Token-2022: names of the extensions that the mint has. */
  readonly extensions: readonly string[]
}

export interface TokenHolding {
  readonly mint: Address
  readonly decimals: number
  readonly amount: bigint
}

/** Tokens as such on one chain. Asks a node; throws NodeFailure when none answered properly. */
export interface TokenReader {
  /**
   * Undefined: there is no token at this address, as of a block of `sinceHeight` or later, where that is given: who misses something and stands
   * before it is a NodeFailure. One round trip for all.
   */
  facts(
    mints: readonly Address[],
    sinceHeight?: bigint,
  ): Promise<readonly (TokenFacts | undefined)[]>
  /** How many addresses hold some of it; null where the chain cannot say. */
  holders(mint: Address): Promise<bigint | null>
  /**
   * What an address holds at one block, in at most two round trips. Solana: every token account; EVM: native and `known` tokens, since the chain
   * keeps no list.
   */
  holdings(
    address: Address,
    known: readonly Address[],
  ): Promise<{
    readonly height: bigint
    readonly native: bigint
    readonly tokens: readonly TokenHolding[]
    /** Those known of which no contract told the balance: that is not nothing. Left out where every one is told. */
    readonly unread?: readonly Address[]
  }>
}
