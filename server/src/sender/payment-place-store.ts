import type { TransactionHash } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { placesOfPayment, placesView } from './standing-sql.ts'
import type { PaymentPlaces, PlacesRow } from './standing-sql.ts'

/** What has become of the places of a payment. */
export async function placesOf(tx: Tx, paymentId: PaymentId): Promise<PaymentPlaces> {
  const [row] = await tx.query<PlacesRow>('places_of_payment', placesOfPayment('$1'), [paymentId])
  return placesView(row)
}

/** The newest transaction that was signed for each payment; one without any is missing. */
export async function newestHashes(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<ReadonlyMap<PaymentId, TransactionHash>> {
  if (paymentIds.length === 0) return new Map()
  const rows = await tx.query<{ payment_id: PaymentId; hash: TransactionHash }>(
    'newest_hashes',
    `select asked.payment_id, newest.hash from unnest($1::text[]) as asked (payment_id)
     cross join lateral (select a.hash from payment_transactions pt join attempts a using (chain_transaction_id)
       where pt.payment_id = asked.payment_id order by a.chain_transaction_id desc, a.number desc limit 1) newest`,
    [paymentIds],
  )
  return new Map(rows.map((row) => [row.payment_id, row.hash]))
}
