import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { PaymentRemark } from './payment.ts'

/**
 * Notes what the chain showed instead of what was asked for or built; null takes it back, and so does whatever makes a payment pending again.
 * `first`: what was noted before stands. Those of which something else is noted now.
 */
export async function noteRemarks(
  tx: Tx,
  remarks: readonly { readonly paymentId: PaymentId; readonly remark: PaymentRemark | null }[],
  { first = false }: { readonly first?: boolean } = {},
): Promise<readonly PaymentId[]> {
  if (remarks.length === 0) return []
  const rows = await tx.query<{ id: PaymentId }>(
    'payments_remark',
    `update payments p set remark = r.remark
     from json_to_recordset($1::json) as r (id text, remark json)
     where p.id = r.id and p.remark::text is distinct from r.remark::text and (p.remark is null or not $2)
     returning p.id`,
    [JSON.stringify(remarks.map(({ paymentId, remark }) => ({ id: paymentId, remark }))), first],
  )
  return rows.map((row) => row.id)
}
