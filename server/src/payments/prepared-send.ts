import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Address, Draft } from '../chains/chain.ts'
import type { AllowanceDraft } from '../chains/venue.ts'
import type { PaymentId, TradeId } from '../kernel/id.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Tx } from '../store/postgres.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

/** One send, drafted and ready to be decided. */
export interface PreparedSend {
  readonly paymentId: PaymentId
  readonly asset: AssetProfile
  readonly recipient: Address
  readonly amount: BaseUnits
  readonly priorityFee: BaseUnits | null
  readonly commitment: Uint8Array
  readonly resource: string | null
  readonly metadataText: string | null
  readonly draft: Draft
  /** The request that asks for it. */
  readonly requestId?: string
  /** When the caller's own time for it is over: later it is not committed any more. */
  readonly deadlineMilliseconds: number
  /** The caller's idempotency key with the fingerprint of its body, when it gave one. */
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
  /** Under which operation the key is kept; left out, that of sends. */
  readonly operation?: string
  /** The trade that it carries. */
  readonly tradeId?: TradeId
  /** What has to be in right before it. Its fee is within `draft.feeCeiling`, which is of both. */
  readonly allowance?: AllowanceDraft | null
  /** Stores what belongs to it, in the transaction that stores it. */
  readonly beside?: (tx: Tx, nowMilliseconds: number) => Promise<void>
}
