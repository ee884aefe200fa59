import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { moveCursor } from './follower-store.ts'
import type { Cursor } from './follower-store.ts'

/** What a reorg back to `ancestor` undid. */
export interface Undone {
  readonly reopened: readonly PaymentId[]
  readonly violated: readonly PaymentId[]
}

/** How far a rolled back cursor is final: blocks that it has not read on this chain are none. */
export function finalBelow(cursor: Cursor, ancestor: { readonly height: bigint }): bigint {
  return cursor.finalizedHeight < ancestor.height ? cursor.finalizedHeight : ancestor.height
}

/**
 * Rolls the cursor back to the common ancestor and reopens every place that was mined above it; a final one, too, where it moved all that it
 * carries and others wait behind its nonce: its payments stay settled, and what waits gets in no other way. What was called failed there is not sent
 * again. Nor is what had been final where places have lifetimes and no nonces: what proved that earlier bytes were over was said of the blocks that
 * are gone, and two of them may get in.
 */
export async function rollBack(
  tx: Tx,
  cursor: Cursor,
  ancestor: { height: bigint; blockHash: string },
  { hasNonces }: { readonly hasNonces: boolean },
): Promise<Undone> {
  await moveCursor(tx, cursor, { ...ancestor, finalizedHeight: finalBelow(cursor, ancestor) })
  await tx.query(
    'followed_blocks_undo',
    `delete from followed_blocks where network = $1 and height > $2`,
    [cursor.network, ancestor.height.toString()],
  )
  const rows = await tx.query<{ payment_id: PaymentId; state: string }>(
    'transactions_reopen',
    `with gone as (
       select id, state, succeeded from chain_transactions
       where network = $1 and mined_height > $2 and state in ('mined', 'final') for no key update
     ), reopened as (
       update chain_transactions t set state = 'open', mined_hash = null, mined_height = null,
         mined_block_hash = null, succeeded = null, fee_paid = null
       from gone where gone.id = t.id and (gone.state = 'mined' or ($3 and gone.succeeded and not exists (
         select from payment_transactions where chain_transaction_id = gone.id and without_effect)))
       returning t.id
     ), forgotten as (
       update payment_transactions set without_effect = false
       where without_effect and chain_transaction_id = any(array(select id from reopened
         where not exists (select from gap_fillings where chain_transaction_id = reopened.id)))
     ), resend as (
       update attempts set last_sent_at = null where chain_transaction_id = any(array(select id from reopened))
     )
     -- Whoever came to nothing in a place may have been paid in a block that stands.
     select pt.payment_id, gone.state from gone
     cross join lateral (
       select payment_id from payment_transactions
       where chain_transaction_id = gone.id and not without_effect offset 0) pt
     where (gone.succeeded or gone.state = 'final')`,
    [cursor.network, ancestor.height.toString(), hasNonces],
  )
  return {
    reopened: rows.filter((row) => row.state === 'mined').map((row) => row.payment_id),
    violated: rows.filter((row) => row.state === 'final').map((row) => row.payment_id),
  }
}
