import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { AccountId, PaymentId, TradeId, WalletId } from '../kernel/id.ts'

/**
 * Which status may follow which. `settled`, `failed` and `expired` never change; only a reorg leads back. The
 * database is asked with the same table: every update names the statuses it may start from.
 */
export const NEXT_STATUSES = {
  pending: ['confirmed', 'failed', 'expired'],
  confirmed: ['settled', 'pending'],
  settled: [],
  failed: [],
  expired: [],
} as const satisfies Record<string, readonly string[]>

export type PaymentStatus = keyof typeof NEXT_STATUSES

/** The statuses that may change to the given one. */
export function statusesBefore(status: PaymentStatus): readonly PaymentStatus[] {
  return STATUSES.filter((from) => (NEXT_STATUSES[from] as readonly string[]).includes(status))
}

const STATUSES: readonly PaymentStatus[] = ['pending', 'confirmed', 'settled', 'failed', 'expired']

/** Why money that was to move provably did not and cannot: shown to the caller. */
export interface PaymentFailure {
  readonly reason: 'transaction_reverted' | 'no_effect' | 'nonce_used_by_another_transaction'
  readonly message: string
}

/** What the chain showed that was not what had been asked for or built: shown to the caller, whatever the status. */
export interface PaymentRemark {
  readonly reason:
    | 'recipient_got_less'
    | 'other_terms'
    | 'several_commitments'
    | 'transaction_reverted'
    | 'nonce_used_by_another_transaction'
    | 'lifetime_over'
  readonly message: string
}

/** The record of one payment, as the database holds it. */
export interface Payment {
  readonly id: PaymentId
  readonly accountId: AccountId
  readonly type: 'sent' | 'received'
  readonly walletId: WalletId | null
  readonly network: NetworkId
  readonly asset: string
  readonly amount: BaseUnits
  /** Of the asset, as it was configured when the payment was made. */
  readonly decimals: number
  readonly sender: Address
  readonly recipient: Address
  readonly resource: string | null
  /** JSON text as the caller sent it. */
  readonly metadataText: string | null
  readonly priorityFee: BaseUnits | null
  readonly feeCeiling: BaseUnits | null
  readonly commitment: Uint8Array | null
  readonly status: PaymentStatus
  readonly sandbox: boolean
  readonly finalityViolated: boolean
  readonly transactionHash: TransactionHash | null
  readonly blockHeight: bigint | null
  readonly logIndex: number | null
  readonly feePaid: BaseUnits | null
  readonly failure: PaymentFailure | null
  /** Left out where there is nothing to remark. */
  readonly remark?: PaymentRemark
  readonly createdAtMilliseconds: number
  readonly confirmedAtMilliseconds: number | null
  readonly settledAtMilliseconds: number | null
  /** Of one that failed or expired, where it was noted; left out on every other. */
  readonly endedAtMilliseconds?: number
  /** Of a payment that carries a trade; left out on every other. */
  readonly tradeId?: TradeId
  /** Of a payment that was built here and is signed elsewhere; left out on every other. */
  readonly selfCustody?: {
    readonly abandonedAtMilliseconds: number | null
  }
}
