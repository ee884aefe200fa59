import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Address, Draft } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { AssetProfile } from '../kernel/network-config.ts'

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
  readonly once: { readonly key: string; readonly fingerprint: Uint8Array } | null
}
