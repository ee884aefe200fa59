import type { TransactionHash } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** Where the transactions of one payment stand, all of its places together. */
export interface PaymentPlaces {
  /** Bytes of ours may still be included, or are and may still take effect. */
  readonly underWay: boolean
  /** The newest place was included and reverted. */
  readonly reverted: boolean
  /** The newest place is in a final block, whatever it did there. */
  readonly isFinal: boolean
  /** Of the newest attempt of the newest place. */
  readonly newestHash: TransactionHash | null
}

/** What has become of the places of a payment. */
export async function placesOf(tx: Tx, paymentId: PaymentId): Promise<PaymentPlaces> {
  const rows = await tx.query<{
    under_way: boolean
    reverted: boolean | null
    is_final: boolean | null
    newest_hash: TransactionHash | null
  }>(
    'places_of_payment',
    `select coalesce(bool_or(t.state = 'open' or (t.state = 'mined' and t.succeeded)), false) as under_way,
       (array_agg(t.state in ('mined', 'final') and not t.succeeded order by t.id desc))[1] as reverted,
       (array_agg(t.state = 'final' order by t.id desc))[1] as is_final,
       (array_agg(coalesce(t.mined_hash, a.hash) order by t.id desc))[1] as newest_hash
     from payment_transactions pt join chain_transactions t on t.id = pt.chain_transaction_id
     join lateral (select hash from attempts where chain_transaction_id = t.id order by number desc limit 1) a on true
     where pt.payment_id = $1`,
    [paymentId],
  )
  const [row] = rows
  return {
    underWay: row?.under_way ?? false,
    reverted: row?.reverted ?? false,
    isFinal: row?.is_final ?? false,
    newestHash: row?.newest_hash ?? null,
  }
}
