import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { PaymentRequirements } from '@florin/wire/x402/payment-requirements.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Address, TransactionHash } from './chain.ts'
import type { SettlementDraft } from './exact.ts'

/** What a seller's server asks for, its asset and its address known to us. */
export interface BatchDemand {
  readonly asset: AssetProfile
  readonly payTo: Address
  readonly requirements: Pick<PaymentRequirements, 'extra' | 'amount'>
  /** What came with the payment beside its payload; the payer's word. */
  readonly extensions: Fields
}

/** What changes something on chain. */
export const BATCH_OPERATIONS = ['deposit', 'claim', 'settle', 'refund'] as const
export type BatchOperation = (typeof BATCH_OPERATIONS)[number]

/** A payload of `batch-settlement`, read and judged as far as no node is needed. Whatever asks a node throws NodeFailure when none answered properly. */
export interface BatchOrder {
  /** `voucher` and `refund request` are looked at and never sent: the seller's server answers them itself. */
  readonly operation: BatchOperation | 'voucher' | 'refund request'
  /** Null of a claim and of a settlement, which concern many. */
  readonly payer: Address | null
  /** Whose money it is to become, or was to be. */
  readonly receivers: readonly Address[]
  readonly asset: AssetProfile
  /** The channels that it is about, `0x` and 64 hex digits each; none of a settlement. */
  readonly channelIds: readonly string[]
  /** What a deposit moves into the escrow; null of everything else. */
  readonly deposited: BaseUnits | null
  /** Of a settlement its token and receiver; left out of everything else. */
  readonly subject?: string
  /** What it is about, in text: two orders of one key and other content are not the same. */
  readonly content: string
  /** Whether a deposit would be taken, or a voucher or a payer's wish for a refund is good, and how the channel stood before. */
  check(): Promise<BatchCheck>
  /** What makes the call one and the same within its network: whoever asks for it again joins it. Asks a node where only the chain knows. */
  key(): Promise<{ readonly ok: true; readonly key: string } | BatchRefused>
  /** Asks what the call takes of this settler, its simulation included. */
  prepare(settler: Address): Promise<PreparedCall>
  /** Looks at what a transaction did for it, ours or another, which has succeeded in a block. */
  result(hash: TransactionHash): Promise<BatchResult>
  /**
   * Whether somebody else's transaction has done it, where ours failed at a height. Left out where that cannot be told, or does not matter: claims and sweeps say what is so by then.
   */
  readonly elsewhere?: (height: bigint) => Promise<Elsewhere>
}

/** Who else did what a call of ours was for. `unknown`: somebody may have, and nothing shows by which transaction. */
export type Elsewhere =
  | { readonly kind: 'nowhere' | 'unknown' }
  | { readonly kind: 'made'; readonly hash: TransactionHash; readonly height: bigint }

/** A "no" in the words of the scheme. */
export interface BatchRefused {
  readonly ok: false
  readonly reason: Reason
  readonly message?: string
}

export type BatchRead =
  | { readonly ok: true; readonly order: BatchOrder }
  | (BatchRefused & { readonly payer: Address | null })

/** A channel as the escrow has it. Base units. Source: @x402/evm 2.27, ChannelState. */
export interface ChannelState {
  readonly channelId: string
  readonly balance: bigint
  readonly totalClaimed: bigint
  /** Unix seconds; 0 where the payer has not begun to withdraw. */
  readonly withdrawRequestedAtSeconds: bigint
  readonly refundNonce: bigint
}

export type BatchCheck = { readonly ok: true; readonly channel: ChannelState } | BatchRefused

/** A call to the escrow that would succeed now. */
export type PreparedCall = { readonly ok: true; readonly draft: SettlementDraft } | BatchRefused

/** What a transaction of ours in the escrow did, by its logs. */
export interface BatchResult {
  /** What moved, base units: into the escrow, to the receiver, or back. Null of a claim, which moves nothing. */
  readonly amount: bigint | null
  /** The channel afterwards; null where it is about several. */
  readonly channel: ChannelState | null
}

/**
 * x402 `batch-settlement` on one chain: payers deposit into an escrow, pay by vouchers that only the receiver's server sees, and receivers claim many at once. Reading asks no
 * node.
 */
export interface BatchSettlement {
  /** Whether the network has what the scheme takes, as its nodes have shown last. Asks nobody; until one has shown it, it has not. */
  isTaken(): boolean
  /** Asks the nodes, unless they were asked just now. What stands against the scheme or a part of it, undefined when nothing does. */
  whatIsMissing(): Promise<string | undefined>
  read(payload: Fields, demand: BatchDemand): BatchRead
  /** What a transaction in the escrow moved, which has succeeded in a block. Throws NodeFailure. */
  moved(hash: TransactionHash): Promise<EscrowMoves>
}

/** What a transaction moved in the escrow by its logs, all of its channels together, and the block that shows it. Base units. */
export interface EscrowMoves {
  readonly blockHash: string
  readonly deposited: bigint
  /** Counted for receivers. */
  readonly claimed: bigint
  /** Sent to receivers. */
  readonly settled: bigint
  /** Given back to payers. */
  readonly refunded: bigint
}
