import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { Payment } from './payment.ts'
import type { Claimed } from './proof.ts'
import { PAYMENT_COLUMNS, paymentOf } from './store.ts'
import type { PaymentRow } from './store.ts'

/** What payments are known by; each that is given adds to what is found. */
export interface Known {
  readonly ids?: readonly PaymentId[]
  readonly transactionId?: string
  readonly commitment?: Uint8Array
}

/** The account's payments that are known by any of these, newest first. */
export async function knownPayments(
  tx: Tx,
  accountId: AccountId,
  { ids = [], transactionId, commitment }: Known,
  count: number,
): Promise<readonly Payment[]> {
  const rows = await tx.query<PaymentRow>(
    'payments_known',
    `with known as materialized (
       select id from payments where account_id = $1 and id = any($2)
       union select id from payments where account_id = $1 and transaction_hash = $3
       union select id from payments where account_id = $1 and commitment = $4
     )
     select ${PAYMENT_COLUMNS} from known join payments using (id)
     order by created_at desc, id desc limit $5`,
    [
      accountId,
      ids,
      transactionId ?? null,
      commitment === undefined ? null : Buffer.from(commitment),
      count,
    ],
  )
  return rows.map(paymentOf)
}

/** The newest payments of the account whose proof could not go on chain, with exactly the terms that a proof claims. */
export async function uncommittedPayments(
  tx: Tx,
  accountId: AccountId,
  { network, asset, sender, recipient, amount, resource }: Claimed,
  count: number,
): Promise<readonly PaymentId[]> {
  const rows = await tx.query<{ id: PaymentId }>(
    'payments_uncommitted',
    `select id from payments
     where account_id = $1 and type = 'sent' and commitment is null and sender = $2 and recipient = $3 and amount = $4
       and network = $5 and asset = $6 and resource is not distinct from $7
     order by created_at desc, id desc limit $8`,
    [accountId, sender, recipient, amount.toString(), network, asset, resource, count],
  )
  return rows.map((row) => row.id)
}
