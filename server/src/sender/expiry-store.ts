import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Terms, TransactionHash } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'

/** One attempt of a place that is still open. */
export interface LivingAttempt {
  readonly attemptId: string
  readonly transactionId: string
  readonly laneAddress: Address
  readonly nonce: bigint
  readonly number: number
  readonly hash: TransactionHash
  readonly raw: Uint8Array
  readonly terms: Terms
  readonly feeCeiling: BaseUnits
  /** The request that the place was signed for. */
  readonly requestId: string | null
}

/** Every attempt of the oldest open places, by place and number. */
export async function livingAttempts(
  tx: Tx,
  network: NetworkId,
  places: number,
): Promise<readonly LivingAttempt[]> {
  const rows = await tx.query<{
    attempt_id: string
    transaction_id: string
    lane_address: Address
    nonce: string
    number: number
    hash: TransactionHash
    raw: Buffer
    terms: Terms
    fee_ceiling: string
    request_id: string | null
  }>(
    'attempts_living',
    `select a.id as attempt_id, t.id as transaction_id, t.lane_address, t.nonce, a.number, a.hash, a.raw, a.terms,
       t.fee_ceiling, first_value(a.request_id) over (partition by t.id order by a.number) as request_id
     from (select * from chain_transactions where network = $1 and state = 'open' order by id limit $2) t
     join attempts a on a.chain_transaction_id = t.id
     order by t.id, a.number`,
    [network, places],
  )
  return rows.map((row) => ({
    attemptId: row.attempt_id,
    transactionId: row.transaction_id,
    laneAddress: row.lane_address,
    nonce: BigInt(row.nonce),
    number: row.number,
    hash: row.hash,
    raw: row.raw,
    terms: row.terms,
    feeCeiling: baseUnits(row.fee_ceiling),
    requestId: row.request_id,
  }))
}

/** A look at bytes that could not be included any more: what it found is what will always be. */
export interface LateLook {
  readonly attemptId: string
  readonly node: string
  readonly finalizedHeight: bigint
  readonly found: boolean
}

/** How far two looks of one node have to lie apart to count as two: in time, and in final blocks, since a clock may be set. */
export interface LookGap {
  readonly milliseconds: number
  readonly blocks: number
}

/** Whether the looks of a group lie so far apart, of which `$n` is the time and the next one the blocks. */
const liesApart = (milliseconds: `$${number}`, blocks: `$${number}`) =>
  `max(l.looked_at) - min(l.looked_at) >= ${milliseconds} * interval '1 millisecond' and max(l.finalized_height) - min(l.finalized_height) >= ${blocks}`

/**
 * Keeps looks as evidence. Once bytes were found, what a node says about them again adds nothing, nor does what it did not find at the same
 * height, or once that is proof: such a place may stay open, and be looked at, for days.
 */
export async function storeLooks(
  tx: Tx,
  looks: readonly LateLook[],
  gap: LookGap,
  nowMilliseconds: number,
): Promise<void> {
  if (looks.length === 0) return
  await tx.query(
    'expiry_looks_store',
    `insert into expiry_looks (attempt_id, node, finalized_height, found, looked_at)
     select look.*, to_timestamp($5 / 1000.0)
     from unnest($1::bigint[], $2::text[], $3::bigint[], $4::boolean[]) as look (attempt_id, node, height, found)
     where not exists (select from expiry_looks l where l.attempt_id = look.attempt_id and l.found
       and (not look.found or l.node = look.node))
       and (look.found or not exists (select from expiry_looks l where l.attempt_id = look.attempt_id and l.node = look.node
         having max(l.finalized_height) >= look.height or (${liesApart('$6', '$7')})))
     on conflict do nothing`,
    [
      looks.map((look) => look.attemptId),
      looks.map((look) => look.node),
      looks.map((look) => look.finalizedHeight.toString()),
      looks.map((look) => look.found),
      nowMilliseconds,
      gap.milliseconds,
      gap.blocks,
    ],
  )
}

/**
 * Which open places are proven dead in every attempt: two nodes found nothing, or one found nothing twice with the given gap
 * between, and no node ever found it, since one that has forgotten says nothing about what another has seen. Looks of a place whose state has changed count for nothing.
 */
export async function deadPlaces(
  tx: Tx,
  transactionIds: readonly string[],
  gap: LookGap,
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    'expiry_dead_places',
    `select t.id from chain_transactions t
     where t.id = any($1::bigint[]) and t.state = 'open' and not exists (
       select from attempts a where a.chain_transaction_id = t.id and not exists (
         select from expiry_looks l where l.attempt_id = a.id
         having not bool_or(l.found) and (count(distinct l.node) >= 2 or (${liesApart('$2', '$3')}))))`,
    [transactionIds, gap.milliseconds, gap.blocks],
  )
  return new Set(rows.map((row) => row.id))
}
