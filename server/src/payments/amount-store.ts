import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { PaymentStatus } from './payment.ts'

/**
 * Says what payments move, where the chain alone decides that: to be called before the status moves, so that the event tells it. Only payments
 * of the given status are changed. Base units.
 */
export async function setAmounts(
  tx: Tx,
  status: PaymentStatus,
  amounts: readonly { readonly paymentId: PaymentId; readonly amount: bigint }[],
): Promise<void> {
  if (amounts.length === 0) return
  await tx.query(
    'payments_set_amounts',
    `update payments p set amount = a.amount
     from json_to_recordset($1::json) as a (id text, amount numeric)
     where p.id = a.id and p.status = $2 and p.amount <> a.amount`,
    [
      JSON.stringify(
        amounts.map(({ paymentId, amount }) => ({ id: paymentId, amount: amount.toString() })),
      ),
      status,
    ],
  )
}
