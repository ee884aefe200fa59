import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { AccountId, PaymentId, WalletId } from '../kernel/id.ts'

/** A signed authorization of a wallet of ours, for whom it was made, and what became of the seller's answer. */
export interface Purchase {
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly walletId: WalletId
  readonly network: NetworkId
  /** SHA-256 of method, address and body: the same request while this one can still be used joins it. */
  readonly requestDigest: Uint8Array
  readonly url: string
  readonly proofKey: ProofKey
  /** The authorization as plain text. `value`: what was signed for, in base units; with `upto` the most that may be taken. */
  readonly stored: Readonly<Record<string, string>>
  /** EVM: unix seconds at which the chain stops to take it. */
  readonly validBeforeSeconds: bigint | null
  /** Solana: the last block height, not slot, that takes it. */
  readonly lastValidBlockHeight: bigint | null
  readonly feePayer: Address | null
  readonly sinceHeight: bigint
  /** What the seller is shown, to the letter: the same bytes every time. */
  readonly headerName: 'X-PAYMENT' | 'PAYMENT-SIGNATURE'
  readonly header: string
  /** Somebody asks the seller until then; null when nobody does. It is over and not null: whoever asked last got no answer, or is gone. */
  readonly askingUntilMilliseconds: number | null
  /** How often the seller was shown it. */
  readonly shown: number
  /** The seller's newest answer; null while there is none. */
  readonly answer: SellerAnswer | null
  /** Whether the seller has handed out what was paid for (`isHandedOut`). */
  readonly isDelivered: boolean
  readonly looks: number
}

/** Of what a seller said, what stood before a body that was too long; bounded. */
export type LostAnswer = Pick<SellerAnswer, 'status' | 'headers'>

/** What a seller said, bounded. */
export interface SellerAnswer {
  readonly status: number
  /** As `OutboundAnswer` has them. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}
