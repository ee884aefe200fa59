import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

/** Where the effect of a purchase stands in the chain. */
export interface Place {
  readonly hash: TransactionHash
  readonly height: bigint
  readonly blockHash: string
  readonly logIndex: number
  /** `upto`: what was taken of what was signed for. Left out: all of it. */
  readonly taken?: BaseUnits
  /** The token kept a part of what has left. */
  readonly isLess?: boolean
}

/** A purchase, and what was signed for: the most that it can cost. */
export interface SignedPurchase {
  readonly paymentId: PaymentId
  readonly signed: BaseUnits
}

/**
 * Notes where purchases took effect: those of which that is not known yet, though it may be in doubt (`noteDoubted`), and which these are. They stay open until it is final, and are
 * joined by the same request until they were delivered for.
 */
export async function noteUsed(
  tx: Tx,
  used: readonly (Place & { readonly paymentId: PaymentId })[],
): Promise<ReadonlySet<PaymentId>> {
  if (used.length === 0) return new Set()
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'purchase_note_used',
    `update purchases p set used_hash = u.hash, used_height = u.height, used_block_hash = u.block_hash,
       used_log_index = u.log_index, taken = u.taken, dead_height = null
     from json_to_recordset($1::json) as u (payment_id text, hash text, height bigint, block_hash text, log_index integer,
       taken numeric)
     where p.payment_id = u.payment_id and p.closed_at is null and p.used_log_index is null
     returning p.payment_id`,
    [
      JSON.stringify(
        used.map(({ paymentId, hash, height, blockHash, logIndex, taken }) => ({
          payment_id: paymentId,
          hash,
          height: height.toString(),
          block_hash: blockHash,
          log_index: logIndex,
          taken: taken?.toString() ?? null,
        })),
      ),
    ],
  )
  return new Set(rows.map((row) => row.payment_id))
}

/** Takes back what blocks showed that are not in the chain any more; gives those that had been used there, or seemed to. */
export async function forgetUsed(
  tx: Tx,
  network: NetworkId,
  aboveHeight: bigint,
): Promise<readonly SignedPurchase[]> {
  await tx.query(
    'purchase_undead',
    `update purchases set dead_height = null where network = $1 and dead_height > $2 and closed_at is null`,
    [network, aboveHeight.toString()],
  )
  const rows = await tx.query<{ payment_id: PaymentId; signed: string }>(
    'purchase_forget_used',
    `update purchases set used_hash = null, used_height = null, used_block_hash = null, used_log_index = null,
       taken = null, look_at = null, looks = 0
     where network = $1 and used_height > $2 and closed_at is null returning payment_id, stored ->> 'value' as signed`,
    [network, aboveHeight.toString()],
  )
  return rows.map((row) => ({ paymentId: row.payment_id, signed: baseUnits(row.signed) }))
}

/** The same for a single one, whose block turned out to be of another fork. */
export async function forgetPlace(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'purchase_forget_place',
    `update purchases set used_hash = null, used_height = null, used_block_hash = null, used_log_index = null,
       taken = null, look_at = null, looks = 0
     where payment_id = any($1) and closed_at is null`,
    [paymentIds],
  )
}

/** Puts purchases aside: nothing becomes of them by itself any more, and the doctor names them. They are not shown to anybody again. */
export async function putAside(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'purchase_put_aside',
    `update purchases set used_hash = null, used_height = null, used_block_hash = null, used_log_index = null,
       taken = null, dead_height = null, look_at = 'infinity', joinable = false
     where payment_id = any($1) and closed_at is null`,
    [paymentIds],
  )
}

/** Notes from which height on it is certain that purchases took no effect and never will. One that was put aside meanwhile is left to the person who looks at it. */
export async function noteDead(
  tx: Tx,
  dead: readonly { readonly paymentId: PaymentId; readonly height: bigint }[],
): Promise<void> {
  if (dead.length === 0) return
  await tx.query(
    'purchase_note_dead',
    `update purchases p set dead_height = d.height
     from json_to_recordset($1::json) as d (payment_id text, height bigint)
     where p.payment_id = d.payment_id and p.closed_at is null and p.used_height is null
       and p.look_at is distinct from 'infinity'`,
    [
      JSON.stringify(
        dead.map(({ paymentId, height }) => ({ payment_id: paymentId, height: height.toString() })),
      ),
    ],
  )
}

/** A purchase that took effect at or below a final height. */
export interface UsedPurchase extends Place, SignedPurchase {}

export async function usedBelow(
  tx: Tx,
  network: NetworkId,
  height: bigint,
  count: number,
): Promise<readonly UsedPurchase[]> {
  const rows = await tx.query<{
    payment_id: PaymentId
    used_hash: TransactionHash
    used_height: string
    used_block_hash: string
    used_log_index: number
    signed: string
  }>(
    'purchase_used_below',
    `select payment_id, used_hash, used_height, used_block_hash, used_log_index, stored ->> 'value' as signed from purchases
     where network = $1 and closed_at is null and used_height <= $2 and used_log_index is not null
     order by used_height, payment_id limit $3`,
    [network, height.toString(), count],
  )
  return rows.map((row) => ({
    paymentId: row.payment_id,
    hash: row.used_hash,
    height: BigInt(row.used_height),
    blockHash: row.used_block_hash,
    logIndex: row.used_log_index,
    signed: baseUnits(row.signed),
  }))
}

/** Purchases that are known to have come to nothing at or below a final height. */
export async function deadBelow(
  tx: Tx,
  network: NetworkId,
  height: bigint,
  count: number,
): Promise<readonly PaymentId[]> {
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'purchase_dead_below',
    `select payment_id from purchases
     where network = $1 and closed_at is null and dead_height <= $2 and used_height is null
     order by payment_id limit $3`,
    [network, height.toString(), count],
  )
  return rows.map((row) => row.payment_id)
}

/** Closes purchases whose payments have come to their end. */
export async function closePurchases(
  tx: Tx,
  paymentIds: readonly PaymentId[],
  nowMilliseconds: number,
): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'purchase_close',
    `update purchases set closed_at = to_timestamp($2 / 1000.0), joinable = false
     where payment_id = any($1) and closed_at is null`,
    [paymentIds, nowMilliseconds],
  )
}

/** An open purchase as it is looked at. */
export interface OpenPurchase {
  readonly paymentId: PaymentId
  readonly proofKey: string
  readonly stored: Readonly<Record<string, string>>
  readonly validBeforeSeconds: bigint | null
  readonly lastValidBlockHeight: bigint | null
  readonly sinceHeight: bigint
  readonly looks: number
}

/**
 * Purchases that nothing has been seen of and that are due, the longest due first. Accounts take turns: who has thousands open, which a seller of
 * its own never settles, is looked at as often as there is room for beside the others.
 */
export async function silentPurchases(
  tx: Tx,
  network: NetworkId,
  nowMilliseconds: number,
): Promise<readonly OpenPurchase[]> {
  const rows = await tx.query<{
    payment_id: PaymentId
    proof_key: string
    stored: Readonly<Record<string, string>>
    valid_before: string | null
    last_valid_block_height: string | null
    since_height: string
    looks: number
  }>(
    'purchase_silent',
    `select payment_id, proof_key, stored, valid_before, last_valid_block_height, since_height, looks from (
       select *, coalesce(look_at, created_at) as due_at,
         row_number() over (partition by account_id order by coalesce(look_at, created_at), payment_id) as turn
       from purchases where network = $1 and closed_at is null and used_height is null and dead_height is null
         and (look_at is null or look_at <= to_timestamp($2 / 1000.0)
           -- Noted before a clock was set back.
           or (look_at > to_timestamp($4 / 1000.0) and look_at < 'infinity'))) as due
     order by turn, due_at, payment_id limit $3`,
    [
      network,
      nowMilliseconds,
      limits.purchasesPerRoundMax,
      nowMilliseconds + (limits.purchaseLookSecondsMax + limits.clockAheadSeconds) * 1000,
    ],
  )
  return rows.map((row) => ({
    paymentId: row.payment_id,
    proofKey: row.proof_key,
    stored: row.stored,
    validBeforeSeconds: row.valid_before === null ? null : BigInt(row.valid_before),
    lastValidBlockHeight:
      row.last_valid_block_height === null ? null : BigInt(row.last_valid_block_height),
    sinceHeight: BigInt(row.since_height),
    looks: row.looks,
  }))
}

/** Says when purchases are looked at again. */
export async function noteLooks(
  tx: Tx,
  looks: readonly (Pick<OpenPurchase, 'paymentId' | 'looks'> & {
    readonly lookAtMilliseconds: number
  })[],
): Promise<void> {
  if (looks.length === 0) return
  await tx.query(
    'purchase_note_looks',
    // One that somebody is at, or that was put aside or taken back since it was read, is left as it is.
    `with looked as (
       select * from json_to_recordset($1::json) as l (payment_id text, look_at bigint, looks integer)
     ), locked as (
       select looked.* from purchases p join looked using (payment_id)
       where p.closed_at is null and p.looks = looked.looks and p.look_at is distinct from 'infinity'
       order by p.payment_id for no key update of p skip locked
     )
     update purchases p set look_at = to_timestamp(l.look_at / 1000.0), looks = p.looks + 1
     from locked l where p.payment_id = l.payment_id`,
    [
      JSON.stringify(
        looks.map(({ paymentId, lookAtMilliseconds, looks: before }) => ({
          payment_id: paymentId,
          look_at: lookAtMilliseconds,
          looks: before,
        })),
      ),
    ],
  )
}

/** Sellers' answers are kept as long as the keys that repeat them, and forgotten at most `count` at a time. Says how many. */
export async function forgetAnswers(
  tx: Tx,
  olderThanMilliseconds: number,
  count: number,
): Promise<number> {
  const forgotten = await tx.query(
    'purchase_forget_answers',
    `update purchases set answer_headers = null, answer_body = null
     where payment_id = any (array(select payment_id from purchases
       where closed_at < to_timestamp($1 / 1000.0) and answer_body is not null order by closed_at limit $2))
     returning 1`,
    [olderThanMilliseconds, count],
  )
  return forgotten.length
}

/** Settled purchases whose final block is not in the chain any more. */
export async function settledAbove(
  tx: Tx,
  network: NetworkId,
  height: bigint,
): Promise<readonly PaymentId[]> {
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'purchase_settled_above',
    `select payment_id from purchases where network = $1 and used_height > $2 and closed_at is not null`,
    [network, height.toString()],
  )
  return rows.map((row) => row.payment_id)
}
