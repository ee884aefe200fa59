import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { BuildFormat } from '../chains/self-custody.ts'
import type { AccountId, PaymentId, TradeId } from '../kernel/id.ts'

/** A built transaction as it was answered; numbers as decimal text, because they are kept as JSON. */
export interface BuildFacts {
  readonly format: BuildFormat
  readonly fee: { readonly max: string; readonly priority: string; readonly accountRent: string }
  readonly summary: SummaryFacts
  readonly unsigned: UnsignedFacts | null
  /** What has to be on chain before it, as a transaction of its own; left out where nothing has. */
  readonly approval?: ApprovalFacts
}

/** An allowance that is signed and sent before a sale. */
export interface ApprovalFacts extends Omit<BuildFacts, 'approval'> {
  /** Base64. */
  readonly transaction: string
}

/** All that a transaction does, in plain fields. */
export interface SummaryFacts {
  readonly feePayer: string | null
  readonly transfers: readonly {
    readonly asset: string
    readonly from: string | null
    readonly to: string
    readonly amountBaseUnits: string
  }[]
  readonly commitments: readonly string[]
  readonly createsAccounts: readonly {
    readonly account: string
    readonly owner: string
    readonly asset: string
  }[]
  /** Everything else in plain words; empty when it does the above and nothing more. */
  readonly others: readonly string[]
}

/** An EIP-1559 transaction's fields before its signature. */
export interface UnsignedFacts {
  readonly to: string
  readonly value: string
  readonly data: string
  readonly nonce: string
  readonly gas: string
  readonly maxFeePerGas: string
  readonly maxPriorityFeePerGas: string
  readonly chainId: string
}

/** What the chain has to show for a build to count as paid. */
export interface BuiltTerms {
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly sender: Address
  readonly recipient: Address
  readonly asset: string
  readonly amount: bigint
  /** 64 lower-case hex digits; null when the transaction does not carry it. */
  readonly commitment: string | null
  /** The proof that it settles for its sender; null for a payment of the sender's own. */
  readonly proofKey: ProofKey | null
  /** The sender's place; null where transactions have none. */
  readonly nonce: bigint | null
  /** The trade that it carries: more than a plain transfer. */
  readonly tradeId: TradeId | null
}

/** A transaction that was built here for somebody else to sign. */
export interface Build extends BuiltTerms {
  readonly network: NetworkId
  readonly transaction: Uint8Array
  readonly lastValidBlockHeight: bigint
  readonly expiryEnforcedByChain: boolean
  readonly facts: BuildFacts
  readonly createdAtMilliseconds: number
  readonly expiresAtMilliseconds: number
}
