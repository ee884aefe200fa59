import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { PaymentStatus } from '@florin/wire/payment.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { AccountId, PaymentId, TradeId } from '../kernel/id.ts'
import type { AssetProfile, NetworkConfig } from '../kernel/network-config.ts'
import type { Tx } from '../store/postgres.ts'

/** Why a build can take no effect any more. */
export type DeadReason =
  'nonce_used_by_another_transaction' | 'lifetime_over' | 'transaction_reverted'

/** A payment whose transaction has just been built, and that its sender has not signed. */
export interface NewBuilt {
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly network: NetworkConfig
  readonly asset: AssetProfile
  readonly amount: BaseUnits
  readonly sender: Address
  readonly recipient: Address
  readonly resource: string | null
  readonly metadataText: string | null
  readonly priorityFee: BaseUnits | null
  /** Null when the transaction does not carry it. */
  readonly commitment: Uint8Array | null
  /** The trade that it carries. */
  readonly tradeId?: TradeId | undefined
}

/** Where on chain a built payment took effect. */
export interface BuiltEffect {
  readonly paymentId: PaymentId
  readonly transactionHash: TransactionHash
  readonly height: bigint
  readonly blockHash: string
  readonly effectIndex: number
  readonly feePaid: BaseUnits
}

/** What the chain showed of a build that was not what had been built. */
export type RemarkReason = DeadReason | 'recipient_got_less' | 'other_terms' | 'several_commitments'

export interface BuiltState {
  readonly status: PaymentStatus
  readonly paymentProof: string | null
  /** The transaction that took effect; null while none has. */
  readonly hash: TransactionHash | null
  readonly abandoned: boolean
}

/** The records of built payments, kept by the room that owns payments. Every call runs in the transaction it is given. */
export interface BuiltRecords {
  /** The 32 bytes that the chain is to show. */
  commitmentOf(committed: {
    readonly paymentId: PaymentId
    readonly network: NetworkId
    readonly asset: string
    readonly sender: Address
    readonly recipient: Address
    readonly amount: BaseUnits
    readonly resource: string | null
  }): Uint8Array
  /** In the order of what was built. */
  open(tx: Tx, built: readonly NewBuilt[]): Promise<readonly BuiltState[]>
  /** Undefined: the account has no such payment that was built for a wallet of its own. */
  state(tx: Tx, accountId: AccountId, paymentId: PaymentId): Promise<BuiltState | undefined>
  /** Notes that its owner gave it up; whoever has signed it can still send it. */
  abandon(tx: Tx, accountId: AccountId, paymentId: PaymentId): Promise<void>
  /** Those of these that their owners gave up. */
  givenUp(tx: Tx, paymentIds: readonly PaymentId[]): Promise<ReadonlySet<PaymentId>>
  /** The chain shows exactly what was built. Those that really moved. */
  confirmed(tx: Tx, effects: readonly BuiltEffect[]): Promise<ReadonlySet<PaymentId>>
  /** Says what the chain showed instead; null takes it back. */
  remark(
    tx: Tx,
    remarks: readonly { readonly paymentId: PaymentId; readonly reason: RemarkReason | null }[],
  ): Promise<void>
  /** The blocks above a height are gone: the ids of payments that are pending again. */
  undone(tx: Tx, network: NetworkId, height: bigint): Promise<ReadonlySet<PaymentId>>
  /** Settles what was confirmed at or below a final height, at most `count`: the ids that really moved. */
  final(tx: Tx, network: NetworkId, height: bigint, count: number): Promise<readonly PaymentId[]>
  /** They took no effect and can take none any more, proven at finality. The ids that really moved. */
  over(
    tx: Tx,
    ends: readonly { readonly paymentId: PaymentId; readonly reason: RemarkReason }[],
  ): Promise<ReadonlySet<PaymentId>>
}
