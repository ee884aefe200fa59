import type { Static } from 'typebox'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { BuildAnswer } from '@florin/wire/transaction.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { Preparation } from '../chains/self-custody.ts'
import type { AccountId, PaymentId, TradeId } from '../kernel/id.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Tx } from '../store/postgres.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

/** What a node said about a swap that somebody else is to sign. */
export interface PreparedTrade {
  readonly tradeId: TradeId
  /** Where what goes in ends up. */
  readonly recipient: Address
  /** What goes in. Base units. */
  readonly amount: BaseUnits
  readonly preparation: Preparation
  /** What has to be signed and sent right before it. */
  readonly allowance: Preparation | null
  /** What the transaction carries. */
  readonly commitment: Uint8Array
  /** Stores what belongs to it, in the transaction that stores the build. */
  readonly beside: (tx: Tx, nowMilliseconds: number) => Promise<void>
}

/** A swap for a wallet of somebody else's, as the door has parsed it. */
export interface TradeBuildOrder {
  readonly accountId: AccountId
  readonly chain: Chain
  readonly sender: Address
  /** What goes in. */
  readonly asset: AssetProfile
  readonly priorityFee: BaseUnits | null
  /** Under which the idempotency key is kept. */
  readonly operation: string
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
  /** Asks the node. Refuses what cannot be. */
  readonly prepared: (paymentId: PaymentId) => Promise<PreparedTrade>
}

/** An allowance as it is answered, beside the transaction that needs it. */
export type ApprovalFields = Pick<
  Static<typeof BuildAnswer>,
  'transaction' | 'format' | 'summary' | 'fee' | 'unsigned'
>

/** The room that builds transactions for others, for a room beside it. */
export interface TradeBuilder {
  /** A refusal means that nothing was stored. */
  build(order: TradeBuildOrder): Promise<{
    readonly paymentId: PaymentId
    readonly fields: Static<typeof BuildAnswer>
    readonly approval: ApprovalFields | null
    readonly replayed: boolean
  }>
}
