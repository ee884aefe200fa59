import type { BuildTransactionBody } from './contract/build-transaction.ts'

/** An order as a build is held against it. */
export interface Asked {
  readonly order: BuildTransactionBody
  /** `native`, or the token's address or mint. */
  readonly asset: string
  /** Fraction digits; of a token on Solana the bytes themselves say them, and the chain checks that. */
  readonly decimals: number
  /** What the network may take, in the smallest native unit. */
  readonly feeMax: bigint
  /** The same as it was said. */
  readonly feeMaxText: string
}
