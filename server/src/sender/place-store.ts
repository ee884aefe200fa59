import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Outcome, TransactionHash } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { WithoutEffect } from './book.ts'

/** A place of ours whose hash a block showed. */
export interface Matched {
  readonly transactionId: string
  readonly hash: TransactionHash
  readonly laneAddress: Address
  readonly paymentIds: readonly PaymentId[]
  /** The request that the place was signed for. */
  readonly requestId: string | null
  /** Another place had to be in before it: what that took is this payment's, too. */
  readonly hasPlaceBefore: boolean
}

/** Which of a block range's transactions are ours: cost per block, not per payment. */
export async function matchHashes(
  tx: Tx,
  network: NetworkId,
  hashes: readonly TransactionHash[],
): Promise<readonly Matched[]> {
  if (hashes.length === 0) return []
  const rows = await tx.query<{
    id: string
    hash: TransactionHash
    lane_address: Address
    payment_ids: PaymentId[]
    request_id: string | null
    has_before: boolean
  }>(
    'transactions_match',
    // "offset 0": each place by its id, not by going through all that are open. What an open one does without has come to nothing there before.
    `select t.id, a.hash, t.lane_address,
       array(select payment_id from payment_transactions where chain_transaction_id = t.id and not without_effect order by effect_index) as payment_ids,
       (select f.request_id from attempts f where f.chain_transaction_id = t.id and f.number = 1) as request_id,
       exists (select from payment_transactions pt join chain_transactions b on b.before_payment = pt.payment_id
         where pt.chain_transaction_id = t.id) as has_before
     from attempts a cross join lateral (
       select id, lane_address, state from chain_transactions where id = a.chain_transaction_id offset 0) t
     where a.network = $1 and a.hash = any($2) and t.state = 'open'`,
    [network, hashes],
  )
  return rows.map((row) => ({
    transactionId: row.id,
    hash: row.hash,
    laneAddress: row.lane_address,
    paymentIds: row.payment_ids,
    requestId: row.request_id,
    hasPlaceBefore: row.has_before,
  }))
}

/**
 * What the network took for the places that had to be in before those of these payments, as far as they are in. Native base units; a payment
 * without such a place is missing.
 */
export async function feesBefore(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<ReadonlyMap<PaymentId, bigint>> {
  if (paymentIds.length === 0) return new Map()
  const rows = await tx.query<{ before_payment: PaymentId; fee_paid: string }>(
    'transactions_fees_before',
    `select before_payment, fee_paid from chain_transactions
     where before_payment = any($1) and fee_paid is not null`,
    [paymentIds],
  )
  return new Map(rows.map((row) => [row.before_payment, BigInt(row.fee_paid)]))
}

/** Marks places as mined by the given attempts, in one statement. */
export async function markMined(
  tx: Tx,
  seen: readonly { matched: Matched; outcome: Extract<Outcome, { state: 'mined' }> }[],
): Promise<void> {
  await tx.query(
    'transactions_mined',
    `update chain_transactions t set state = 'mined', mined_hash = s.hash, mined_height = s.height,
       mined_block_hash = s.block_hash, succeeded = s.succeeded, fee_paid = s.fee_paid
     from json_to_recordset($1::json) as s (id bigint, hash text, height bigint, block_hash text,
       succeeded boolean, fee_paid numeric)
     where t.id = any($2::bigint[]) and t.id = s.id and coalesce(t.state = 'open', false)`,
    [
      JSON.stringify(
        seen.map(({ matched, outcome }) => ({
          id: matched.transactionId,
          hash: matched.hash,
          height: outcome.height.toString(),
          block_hash: outcome.blockHash,
          succeeded: outcome.succeeded,
          fee_paid: outcome.feePaid.toString(),
        })),
      ),
      seen.map(({ matched }) => matched.transactionId),
    ],
  )
}

/** Remembers payments that the mined transaction which carries them did not move; forgotten when its block is. */
export async function markWithoutEffect(
  tx: Tx,
  network: NetworkId,
  idle: readonly WithoutEffect[],
): Promise<void> {
  if (idle.length === 0) return
  await tx.query(
    'payments_without_effect',
    `update payment_transactions pt set without_effect = true
     from unnest($2::text[], $3::text[]) as idle (hash, payment_id)
     join attempts a on a.network = $1 and a.hash = idle.hash
     where pt.chain_transaction_id = a.chain_transaction_id and pt.payment_id = idle.payment_id`,
    [network, idle.map(({ hash }) => hash), idle.map(({ paymentId }) => paymentId)],
  )
}

/** A mined place at or below the final height that has not been closed yet. */
export interface Closing {
  readonly transactionId: string
  readonly hash: TransactionHash
  readonly laneAddress: Address
  readonly height: bigint
  readonly blockHash: string
  readonly succeeded: boolean
  /** What a place before it took is in it. */
  readonly feePaid: BaseUnits
  readonly paymentIds: readonly PaymentId[]
}

/**
 * Closes mined places that have become final, as many as carry so many payments, and one at least: those of a lane in their order. `isWhole`
 * when none is left.
 */
export async function closeFinal(
  tx: Tx,
  network: NetworkId,
  finalizedHeight: bigint,
  paymentsMax: number,
): Promise<{ readonly closed: readonly Closing[]; readonly isWhole: boolean }> {
  const rows = await tx.query<{
    due: string
    id: string
    mined_hash: TransactionHash
    lane_address: Address
    mined_height: string
    mined_block_hash: string
    succeeded: boolean
    fee_paid: string
    payment_ids: PaymentId[]
  }>(
    'transactions_final',
    `with due as (
       select id, lane_address, nonce from chain_transactions where network = $1 and state = 'mined' and mined_height <= $2
       order by lane_address, nonce limit $3 + 1 for no key update
     ), counted as (
       select id, sum((select count(*) from payment_transactions where chain_transaction_id = due.id)) over in_order as payments,
         row_number() over in_order as place
       from due window in_order as (order by lane_address, nonce rows unbounded preceding)
     )
     update chain_transactions set state = 'final'
     where id = any(array(select id from counted where payments <= $3 or place = 1))
     returning (select count(*) from due) as due, id, mined_hash, lane_address, mined_height, mined_block_hash, succeeded,
       fee_paid + coalesce((select sum(b.fee_paid) from payment_transactions pt
         join chain_transactions b on b.before_payment = pt.payment_id
         where pt.chain_transaction_id = chain_transactions.id), 0) as fee_paid,
       array(select payment_id from payment_transactions pt where pt.chain_transaction_id = chain_transactions.id
             and not exists (select from gap_fillings f where f.chain_transaction_id = chain_transactions.id)
             order by effect_index) as payment_ids`,
    [network, finalizedHeight.toString(), paymentsMax],
  )
  const closed = rows.map((row) => ({
    transactionId: row.id,
    hash: row.mined_hash,
    laneAddress: row.lane_address,
    height: BigInt(row.mined_height),
    blockHash: row.mined_block_hash,
    succeeded: row.succeeded,
    feePaid: baseUnits(row.fee_paid),
    paymentIds: row.payment_ids,
  }))
  const due = Number(rows[0]?.due ?? 0)
  return { closed, isWhole: due <= paymentsMax && due === closed.length }
}

/** Marks an open place as impossible for ever. The payments it carried; undefined when it is not open any more. */
export async function markDead(
  tx: Tx,
  transactionId: string,
): Promise<readonly PaymentId[] | undefined> {
  const rows = await tx.query<{ payment_ids: PaymentId[] }>(
    'transactions_dead',
    `update chain_transactions set state = 'dead' where id = $1 and state = 'open'
     returning array(select payment_id from payment_transactions where chain_transaction_id = $1) as payment_ids`,
    [transactionId],
  )
  return rows[0]?.payment_ids
}
