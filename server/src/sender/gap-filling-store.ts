import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'

/** A transaction that filled a nonce which nobody had used, in a final block. */
export interface FinalFilling {
  readonly laneAddress: Address
  readonly nonce: bigint
  readonly hash: TransactionHash
  /** What its network took for it, native base units. */
  readonly fee: bigint
}

/**
 * Notes that the places at these nonces fill a gap: nobody's payment bears their fees. In the transaction that stores the places, or opens them once more. One
 * whose fee is in the books stays so, as a payment's does.
 */
export async function noteFillings(
  tx: Tx,
  { network, address }: { readonly network: NetworkId; readonly address: Address },
  nonces: readonly bigint[],
): Promise<void> {
  await tx.query(
    'gap_fillings_note',
    `insert into gap_fillings (chain_transaction_id, network, lane_address)
     select id, network, lane_address from chain_transactions
     where network = $1 and lane_address = $2 and nonce = any($3::bigint[])
     on conflict (chain_transaction_id) do nothing`,
    [network, address, nonces.map(String)],
  )
}

/**
 * Those among these final transactions that filled a gap and whose fee is not in the books yet: each is given once, whoever asks and however
 * often it becomes final. By their nonces. In the transaction that makes it final, which books it.
 */
export async function takeUnbooked(
  tx: Tx,
  network: NetworkId,
  hashes: readonly TransactionHash[],
): Promise<readonly FinalFilling[]> {
  const rows = await tx.query<{
    lane_address: Address
    nonce: string
    hash: TransactionHash
    fee_paid: string
  }>(
    'gap_fillings_take',
    `update gap_fillings f set booked_fee = t.fee_paid
     from attempts a cross join lateral (
       select id, nonce, state, fee_paid from chain_transactions where id = a.chain_transaction_id offset 0) t
     where a.network = $1 and a.hash = any($2) and f.chain_transaction_id = t.id and f.booked_fee is null
       and t.state = 'final'
     returning f.lane_address, t.nonce, a.hash, t.fee_paid`,
    [network, hashes],
  )
  return rows
    .map((row) => ({
      laneAddress: row.lane_address,
      nonce: BigInt(row.nonce),
      hash: row.hash,
      fee: BigInt(row.fee_paid),
    }))
    .sort((one, other) => (one.nonce < other.nonce ? -1 : 1))
}

/** Whether something fills a gap of the lane whose fee is still to be taken: until then its balance and its books differ by that. */
export async function areFillingsOpen(
  tx: Tx,
  network: NetworkId,
  address: string,
): Promise<boolean> {
  const [row] = await tx.query<{ are_open: boolean }>(
    'gap_fillings_open',
    `select exists (${openFillings('$1', '$2')}) as are_open`,
    [network, address],
  )
  return row?.are_open === true
}

/** A subquery for a statement of another room: what fills a gap of a lane and is not in the books yet. */
export function openFillings(network: string, address: string): string {
  return `select from gap_fillings f join chain_transactions t on t.id = f.chain_transaction_id
     where f.network = ${network} and f.lane_address = ${address} and f.booked_fee is null and t.state in ('open', 'mined')`
}

/**
 * The same: what such transactions take of the lane's native currency, as `height` (null while in no block), `fee_ceiling`, `fee_paid` (null until it is
 * known) and whether it is `booked`: all that are not, and of those that are the ones above a height. One whose final block was replaced counts as booked
 * where it is now, and one that is dead has no height.
 */
export function fillingFees(network: string, address: string, aboveHeight: string): string {
  return `select t.mined_height as height, t.fee_ceiling, coalesce(f.booked_fee, t.fee_paid) as fee_paid, f.booked_fee is not null as booked
     from gap_fillings f join chain_transactions t on t.id = f.chain_transaction_id
     where f.network = ${network} and f.lane_address = ${address} and (t.state in ('open', 'mined') or t.mined_height > ${aboveHeight})`
}
