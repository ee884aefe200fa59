import type { Tx } from '../store/postgres.ts'
import type { Payment } from './payment.ts'

/** Stores the remarks of payments that are locked, before they are told of. Whatever makes one pending again takes its remark away. */
export async function noteRemarks(
  tx: Tx,
  payments: readonly Pick<Payment, 'id' | 'remark'>[],
): Promise<void> {
  if (payments.length === 0) return
  await tx.query(
    'payments_remark',
    `update payments p set remark = r.remark from json_to_recordset($1::json) as r (id text, remark json)
     where p.id = any($2) and p.id = r.id`,
    [
      JSON.stringify(payments.map(({ id, remark }) => ({ id, remark }))),
      payments.map(({ id }) => id),
    ],
  )
}
