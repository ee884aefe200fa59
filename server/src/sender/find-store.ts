import type { NetworkId } from '@florin/wire/network.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/**
 * The payments, of whatever account, that a transaction of ours carries, by the id of any attempt at it. Every network that was
 * ever followed is looked at: one that has left the configuration still has its payments.
 */
export async function paymentsOfAttempt(
  tx: Tx,
  transactionId: string,
): Promise<readonly PaymentId[]> {
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'payments_of_attempt',
    `select distinct pt.payment_id
     from followers f join attempts a on a.network = f.network and a.hash = $1
     join payment_transactions pt on pt.chain_transaction_id = a.chain_transaction_id`,
    [transactionId],
  )
  return rows.map((row) => row.payment_id)
}

/** The payments, of whatever account, at one place of an address's lane. */
export async function paymentsOfPlace(
  tx: Tx,
  place: { network: NetworkId; address: string; nonce: bigint },
): Promise<readonly PaymentId[]> {
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'payments_of_place',
    `select pt.payment_id
     from chain_transactions t join payment_transactions pt on pt.chain_transaction_id = t.id
     where t.network = $1 and t.lane_address = $2 and t.nonce = $3`,
    [place.network, place.address, place.nonce.toString()],
  )
  return rows.map((row) => row.payment_id)
}
