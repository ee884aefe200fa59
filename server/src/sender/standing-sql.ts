import type { Block, TransactionHash } from '../chains/chain.ts'
import type { AttemptView } from './transaction-store.ts'

/** An attempt as `attemptsOf` selects it. */
export interface AttemptJson {
  readonly number: number
  readonly hash: TransactionHash
  /** Milliseconds of the epoch, like the two below. */
  readonly created: number
  readonly sent: number | null
  readonly accepted: number | null
  readonly request: string | null
}

/**
 * A subquery for a statement of another room: the attempts of the payment whose id the given expression names, as a JSON array
 * of AttemptJson, oldest first; null when it has none. One statement for a payment and its attempts is one round trip.
 */
export function attemptsOf(paymentId: string): string {
  return `select json_agg(json_build_object('number', a.number, 'hash', a.hash,
       'created', round(extract(epoch from a.created_at) * 1000),
       'sent', round(extract(epoch from a.last_sent_at) * 1000),
       'accepted', round(extract(epoch from a.first_accepted_at) * 1000),
       'request', case when pt.effect_index = 0 then a.request_id end) order by a.chain_transaction_id, a.number)
     from payment_transactions pt join attempts a using (chain_transaction_id)
     where pt.payment_id = ${paymentId}`
}

/** The same for how far the network that an expression names has been read; null before the first block. */
export function followedHeightOf(network: string): string {
  return `select f.height from followers f where f.network = ${network}`
}

/** The same for the hash of the block that was read at a height; null above the top, and where it is forgotten. */
export function followedHashOf(network: string, height: string): string {
  return `select b.block_hash from followed_blocks b where b.network = ${network} and b.height = ${height}`
}

/** The same for what the places of a lane carry that are not final, and has not come to nothing there: `payment_id`, `nonce`, and `mined_height`, null while in no block. */
export function unclosedPlaces(network: string, address: string): string {
  return `select pt.payment_id, t.nonce, t.mined_height from chain_transactions t
     join payment_transactions pt on pt.chain_transaction_id = t.id
     where t.network = ${network} and t.lane_address = ${address} and t.state in ('open', 'mined') and not pt.without_effect`
}

/** What `attemptsOf` selected. */
export function attemptViews(selected: readonly AttemptJson[] | null): readonly AttemptView[] {
  return (selected ?? []).map(({ number, hash, created, sent, accepted, request }) => ({
    number,
    hash,
    createdAtMilliseconds: created,
    lastSentAtMilliseconds: sent,
    acceptedAtMilliseconds: accepted,
    requestId: request,
  }))
}

/** Where the transactions of one payment stand, all of its places together. */
export interface PaymentPlaces {
  /** Bytes of ours may still be included, or are and may still take effect. */
  readonly underWay: boolean
  /** The newest place was included, and this payment came to nothing there: all of it reverted, or its own part. */
  readonly reverted: boolean
  /** The newest place carries other payments, too. */
  readonly wasShared: boolean
  /** The newest place was included, and everything in it came to nothing. */
  readonly revertedWhole: boolean
  /** The newest place is in a final block, whatever it did there. */
  readonly isFinal: boolean
  /** Of the newest attempt of the newest place. */
  readonly newestHash: TransactionHash | null
  /** The block that the newest place is in, whatever it did there; null while it is in none. */
  readonly newestBlock: Pick<Block, 'height' | 'hash'> | null
}

/** What `placesOfPayment` selects: one row, of nulls where there are no places. */
export interface PlacesRow {
  readonly under_way: boolean
  readonly reverted: boolean | null
  readonly was_shared: boolean | null
  readonly reverted_whole: boolean | null
  readonly is_final: boolean | null
  readonly newest_hash: TransactionHash | null
  readonly newest_height: string | null
  readonly newest_block_hash: string | null
}

/**
 * The place that carries a payment by `pt`, found by its id: "offset 0" keeps the planner from going through all open places for each
 * payment, which are many just when many wait.
 */
const ITS_PLACE =
  'select id, state, succeeded, mined_hash, mined_height, mined_block_hash from chain_transactions where id = pt.chain_transaction_id offset 0'

/** Of a place `t` that carries a payment by `pt`. */
const mayPay = `t.state = 'open' or (t.state = 'mined' and t.succeeded and not pt.without_effect)`

/** A query for all places of a payment together. */
export function placesOfPayment(paymentId: string): string {
  return `select coalesce(bool_or(${mayPay}), false) as under_way,
       (array_agg(t.state in ('mined', 'final') and not (t.succeeded and not pt.without_effect) order by t.id desc))[1] as reverted,
       (array_agg(t.state in ('mined', 'final') and not t.succeeded order by t.id desc))[1] as reverted_whole,
       (array_agg(exists (select from payment_transactions beside where beside.chain_transaction_id = t.id
         and beside.payment_id <> pt.payment_id) order by t.id desc))[1] as was_shared,
       (array_agg(t.state = 'final' order by t.id desc))[1] as is_final,
       (array_agg(coalesce(t.mined_hash, a.hash) order by t.id desc))[1] as newest_hash,
       (array_agg(t.mined_height order by t.id desc))[1] as newest_height,
       (array_agg(t.mined_block_hash order by t.id desc))[1] as newest_block_hash
     from payment_transactions pt cross join lateral (${ITS_PLACE}) t
     join lateral (select hash from attempts where chain_transaction_id = t.id order by number desc limit 1) a on true
     where pt.payment_id = ${paymentId}`
}

/** What `placesOfPayment` selected. */
export function placesView(row: PlacesRow | undefined): PaymentPlaces {
  const height = row?.newest_height ?? null
  const blockHash = row?.newest_block_hash ?? null
  return {
    underWay: row?.under_way ?? false,
    reverted: row?.reverted ?? false,
    wasShared: row?.was_shared ?? false,
    revertedWhole: row?.reverted_whole ?? false,
    isFinal: row?.is_final ?? false,
    newestHash: row?.newest_hash ?? null,
    newestBlock:
      height === null || blockHash === null ? null : { height: BigInt(height), hash: blockHash },
  }
}

/** Whether a transaction of ours may still pay a payment, or has paid it in a block that is not final; an expression likewise. */
export function mayStillPay(paymentId: string): string {
  return `exists (select from payment_transactions pt cross join lateral (${ITS_PLACE}) t
    where pt.payment_id = ${paymentId} and (${mayPay}))`
}

/** Whether a payment has a transaction of ours that is in no block yet, as an expression over the column that holds its id. */
export function isUnderWay(paymentId: string): string {
  return `exists (select from payment_transactions pt cross join lateral (${ITS_PLACE}) t
    where pt.payment_id = ${paymentId} and t.state = 'open')`
}
