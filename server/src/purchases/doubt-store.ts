import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { SightedPlace } from '../sender/build-book.ts'
import type { Tx } from '../store/postgres.ts'

/**
 * Purchases whose bytes stand in a block, and of which the nodes contradict each other whether they failed. Such a one has a place without the index of an
 * effect: it is not dead, whatever its lifetime is, nor paid, and a reorganisation takes its place back like any other's.
 */
const DOUBTED = `closed_at is null and used_height is not null and used_log_index is null`

/** One that is in doubt, and where its bytes stand. */
export interface DoubtedPurchase extends SightedPlace {
  readonly paymentId: PaymentId
}

/** How often the pause is doubled at most, so that nothing overflows. */
const DOUBLINGS_MAX = 16

/**
 * Notes those of which nothing else is known yet, to be asked for again: which these are. One that is noted stays as it is, and one that was put aside is left
 * to the person who looks at it.
 */
export async function noteDoubted(
  tx: Tx,
  doubted: readonly DoubtedPurchase[],
  nowMilliseconds: number,
): Promise<ReadonlySet<PaymentId>> {
  if (doubted.length === 0) return new Set()
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'purchase_doubt_note',
    `update purchases p set used_hash = d.hash, used_height = d.height, used_block_hash = d.block_hash, used_log_index = null,
       taken = null, dead_height = null, looks = 0,
       look_at = to_timestamp($5 / 1000.0) + make_interval(secs => $6)
     from unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) as d (payment_id, hash, height, block_hash)
     where p.payment_id = d.payment_id and p.closed_at is null and p.used_height is null
       and p.look_at is distinct from 'infinity'
     returning p.payment_id`,
    [
      doubted.map(({ paymentId }) => paymentId),
      doubted.map(({ transactionHash }) => transactionHash),
      doubted.map(({ height }) => height.toString()),
      doubted.map(({ blockHash }) => blockHash),
      nowMilliseconds,
      limits.purchaseDoubtSecondsMin,
    ],
  )
  return new Set(rows.map((row) => row.payment_id))
}

/** Those whose turn it is to be asked for again, the longest due first; each gets its next turn, later every time. */
export async function takeDoubted(
  tx: Tx,
  network: NetworkId,
  nowMilliseconds: number,
): Promise<readonly DoubtedPurchase[]> {
  const rows = await tx.query<{
    payment_id: PaymentId
    used_hash: TransactionHash
    used_height: string
    used_block_hash: string
  }>(
    'purchase_doubt_take',
    `update purchases set looks = looks + 1, look_at = to_timestamp($2 / 1000.0)
       + make_interval(secs => least($3 * 2 ^ least(looks + 1, ${DOUBLINGS_MAX}), $4::float8))
     where payment_id in (
       select payment_id from purchases where network = $1 and ${DOUBTED} and (look_at <= to_timestamp($2 / 1000.0)
         -- Named by a clock that was set back since.
         or look_at > to_timestamp($2 / 1000.0) + make_interval(secs => $4::float8))
       order by look_at, payment_id limit $5)
     returning payment_id, used_hash, used_height, used_block_hash`,
    [
      network,
      nowMilliseconds,
      limits.purchaseDoubtSecondsMin,
      limits.purchaseDoubtSecondsMax,
      limits.purchaseDoubtsAtOnceMax,
    ],
  )
  return rows.map((row) => ({
    paymentId: row.payment_id,
    transactionHash: row.used_hash,
    height: BigInt(row.used_height),
    blockHash: row.used_block_hash,
  }))
}

/** Nobody answered for what stands there, or it was not asked for: that was no turn. Its pause is no longer for it. */
export async function giveTurnsBack(
  tx: Tx,
  network: NetworkId,
  hashes: readonly TransactionHash[],
): Promise<void> {
  await tx.query(
    'purchase_doubt_give_back',
    `update purchases set looks = greatest(looks - 1, 0) where network = $1 and used_hash = any($2) and ${DOUBTED}`,
    [network, hashes],
  )
}

/** Those among these for which somebody has answered as often as one is asked for. */
export async function askedEnough(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<readonly PaymentId[]> {
  if (paymentIds.length === 0) return []
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'purchase_doubt_enough',
    `select payment_id from purchases where payment_id = any($1) and ${DOUBTED} and looks >= $2
     order by payment_id`,
    [paymentIds, limits.purchaseDoubtAsksMax],
  )
  return rows.map((row) => row.payment_id)
}

/** What these did is told: where they stand says nothing more of them. */
export async function forgetDoubt(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'purchase_doubt_forget',
    `update purchases set used_hash = null, used_height = null, used_block_hash = null, look_at = null, looks = 0
     where payment_id = any($1) and ${DOUBTED}`,
    [paymentIds],
  )
}

/** Those of every network that were signed so long ago that a person should look, the oldest first. Since when: since they were signed. */
export async function oldDoubted(
  tx: Tx,
  { beforeMilliseconds, count }: { readonly beforeMilliseconds: number; readonly count: number },
): Promise<
  readonly {
    readonly network: NetworkId
    readonly address: Address
    readonly hash: TransactionHash
    readonly sinceMilliseconds: number
  }[]
> {
  const rows = await tx.query<{
    network: NetworkId
    address: Address
    hash: TransactionHash
    since: Date
  }>(
    'purchase_doubt_old',
    `select network, stored ->> 'from' as address, used_hash as hash, created_at as since from purchases
     where ${DOUBTED} and created_at <= to_timestamp($1 / 1000.0) order by created_at, used_hash limit $2`,
    [beforeMilliseconds, count],
  )
  return rows.map(({ since, ...row }) => ({ ...row, sinceMilliseconds: since.getTime() }))
}

/** How many purchases of each network hold money while nobody tells what they did: those in doubt, and those put aside for a person. */
export async function unreadPurchaseFigures(
  tx: Tx,
  networks: readonly string[],
): Promise<readonly { readonly network: string; readonly unread: number }[]> {
  const rows = await tx.query<{ network: string; unread: string }>(
    'purchase_doubt_figures',
    `select n.network, (select count(*) from purchases where network = n.network and ${DOUBTED})
       + (select count(*) from purchases where network = n.network and closed_at is null and look_at = 'infinity') as unread
     from unnest($1::text[]) as n (network)`,
    [networks],
  )
  return rows.map(({ network, unread }) => ({ network, unread: Number(unread) }))
}
