import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { placesOfPayment, placesView } from './standing-sql.ts'
import type { PaymentPlaces, PlacesRow } from './standing-sql.ts'

/** What has become of the places of a payment. */
export async function placesOf(tx: Tx, paymentId: PaymentId): Promise<PaymentPlaces> {
  const [row] = await tx.query<PlacesRow>('places_of_payment', placesOfPayment('$1'), [paymentId])
  return placesView(row)
}
