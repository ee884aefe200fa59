import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { PaymentStatus } from '@florin/wire/payment.ts'
import type { Address, Chain, Draft, TransactionHash } from '../chains/chain.ts'
import type { AllowanceDraft } from '../chains/venue.ts'
import type { AccountId, PaymentId, TradeId } from '../kernel/id.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Tx } from '../store/postgres.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

/** What a node said about something that a payment is to carry. */
export interface CarriedDraft {
  readonly tradeId: TradeId
  /** Where what goes in ends up. */
  readonly recipient: Address
  /** What goes in. Base units. */
  readonly amount: BaseUnits
  readonly draft: Draft
  /** What has to be in right before it. Its fee is beside that of `draft`. */
  readonly allowance: AllowanceDraft | null
  /** Stores what belongs to it, in the transaction that stores the payment. */
  readonly beside: (tx: Tx, nowMilliseconds: number) => Promise<void>
}

/** Something that is to go out from a custodial wallet, as the door has parsed it. */
export interface CarriedOrder {
  readonly requestId: string
  readonly accountId: AccountId
  readonly chain: Chain
  readonly walletAddress: Address
  /** Which field of the request named the wallet. */
  readonly walletField: string
  /** What goes in. */
  readonly asset: AssetProfile
  readonly priorityFee: BaseUnits | null
  /** Under which the idempotency key is kept. */
  readonly operation: string
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
  readonly waitFor: 'submitted' | 'confirmed' | 'settled'
  readonly waitUntilMilliseconds: number
  readonly clientGone: AbortSignal
  readonly waitOver: AbortSignal
  /** Throws when whoever asks was ended meanwhile: then nothing is signed for them any more. */
  readonly demandAdmitted: () => Promise<void>
  /** Asks the node; asked again when its answer has become too old. Refuses what cannot be. */
  readonly drafted: (paymentId: PaymentId) => Promise<CarriedDraft>
}

/** Where a payment that carries something stands. */
export interface CarriedState {
  readonly paymentId: PaymentId
  readonly network: NetworkId
  readonly status: PaymentStatus
  /** The transaction that took effect, else the newest attempt. */
  readonly hash: TransactionHash | null
  readonly blockHeight: bigint | null
  /** Native base units. */
  readonly feePaid: bigint | null
  readonly failure: { readonly reason: string; readonly message: string } | null
  readonly sandbox: boolean
  /** It was built here and is signed elsewhere. */
  readonly isBuilt: boolean
  readonly createdAtMilliseconds: number
  readonly confirmedAtMilliseconds: number | null
  readonly settledAtMilliseconds: number | null
  /** When it failed or expired; left out before that, and where an older release did not note it. */
  readonly endedAtMilliseconds?: number
}

/** The payments, for rooms beside theirs: what lets something else take the way that a payment takes. */
export interface Carrier {
  /**
   * Stores it and waits for it, as sending does. A refusal means that nothing was stored. Afterwards nothing is thrown but AfterCommit;
   * one that failed is an answer.
   */
  carry(order: CarriedOrder): Promise<{ readonly state: CarriedState; readonly replayed: boolean }>
  /** The account's payments of these ids as they stand now, in their order; undefined where it has none. */
  states(
    accountId: AccountId,
    paymentIds: readonly PaymentId[],
  ): Promise<readonly (CarriedState | undefined)[]>
}
