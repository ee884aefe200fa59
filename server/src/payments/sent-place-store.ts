import type { NetworkId } from '@florin/wire/network.ts'
import { NATIVE_EFFECT_INDEX } from '../chains/chain.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { ForeignSettlement } from '../chains/exact.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { PaymentStatus } from './payment.ts'

/** Where a payment that was sent from here stands, and where on chain its effect is, if it is. */
export interface SentPlace {
  readonly status: PaymentStatus
  readonly settlement: ForeignSettlement | null
  /** Less than the amount reached the recipient there. */
  readonly isLess: boolean
}

/** Whatever account sent it. */
export async function sentPlace(tx: Tx, sentId: PaymentId): Promise<SentPlace | undefined> {
  const rows = await tx.query<{
    status: PaymentStatus
    transaction_hash: TransactionHash | null
    block_height: string | null
    block_hash: string | null
    log_index: number | null
    is_less: boolean
  }>(
    'payment_sent_place',
    `select status, transaction_hash, block_height, block_hash, log_index,
       coalesce(remark ->> 'reason' = 'recipient_got_less', false) as is_less
     from payments where id = $1 and type = 'sent'`,
    [sentId],
  )
  const [row] = rows
  if (row === undefined) return undefined
  const { status, transaction_hash: hash, block_height: height, block_hash: blockHash } = row
  const isLess = row.is_less
  if (hash === null || height === null || blockHash === null) {
    return { status, settlement: null, isLess }
  }
  const logIndex = row.log_index ?? NATIVE_EFFECT_INDEX
  return { status, settlement: { hash, height: BigInt(height), blockHash, logIndex }, isLess }
}

/** The record of the same transfer that a custodial recipient has from its deposits; undefined while there is none. */
export async function depositOf(
  tx: Tx,
  sent: {
    readonly network: NetworkId
    readonly asset: string
    readonly sender: string
    readonly recipient: string
    readonly amount: bigint
  },
  settlement: ForeignSettlement,
): Promise<{ readonly id: PaymentId; readonly isSeen: boolean } | undefined> {
  const rows = await tx.query<{ id: PaymentId; is_seen: boolean }>(
    'payment_deposit_of',
    `select id, status in ('confirmed', 'settled') as is_seen from payments
     where network = $1 and transaction_hash = $2 and recipient = $3 and asset = $4 and sender = $5 and amount = $6
       and type = 'received' and occurrence is not null and status <> 'failed'
     order by log_index is distinct from $7, occurrence limit 1`,
    [
      sent.network,
      settlement.hash,
      sent.recipient,
      sent.asset,
      sent.sender,
      sent.amount.toString(),
      settlement.logIndex,
    ],
  )
  return rows[0] && { id: rows[0].id, isSeen: rows[0].is_seen }
}

/** Notes what a deposit was for, once that is known. */
export async function nameResource(tx: Tx, paymentId: PaymentId, resource: string): Promise<void> {
  await tx.query(
    'payment_name_resource',
    `update payments set resource = $2 where id = $1 and resource is null`,
    [paymentId, resource],
  )
}
