import type { NetworkId } from '@florin/wire/network.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Address, TransactionHash, UnreadArrival } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

/** How long is waited between the first questions; each later pause is twice as long. */
const FIRST_PAUSE_SECONDS = 5
const DOUBLINGS_MAX = 16

/** In the place of an address where nobody tells whom a transaction pays. */
export const NOBODY_KNOWN = 'unknown'

/**
 * Remembers them in the transaction that moves the cursor past their blocks: since when is their block's time. Throws NodeFailure where a network has too many
 * of which nobody tells whom they pay.
 */
export async function noteUnreadDeposits(
  tx: Tx,
  network: NetworkId,
  unread: readonly (UnreadArrival & { readonly sinceMilliseconds: number })[],
): Promise<void> {
  if (unread.length === 0) return
  await tx.query(
    'unread_deposits_note',
    `insert into unread_deposits (network, hash, height, block_hash, address, since, ask_at)
     select $1, u.hash, u.height, u.block_hash, u.address, to_timestamp(u.since / 1000.0), to_timestamp(u.since / 1000.0)
     from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[]) as u (hash, height, block_hash, address, since)
     on conflict (network, hash) do update set height = excluded.height, block_hash = excluded.block_hash`,
    [
      network,
      unread.map(({ transactionHash }) => transactionHash),
      unread.map(({ height }) => height.toString()),
      unread.map(({ blockHash }) => blockHash),
      unread.map(({ address }) => address ?? NOBODY_KNOWN),
      unread.map(({ sinceMilliseconds }) => Math.floor(sinceMilliseconds)),
    ],
  )
  if (unread.every(({ address }) => address !== undefined)) return
  const kept = await tx.query(
    'unread_deposits_of_nobody',
    `select 1 from unread_deposits where network = $1 and address = $2 limit $3`,
    [network, NOBODY_KNOWN, limits.unreadRecordsMax + 1],
  )
  if (kept.length > limits.unreadRecordsMax) {
    throw new NodeFailure(
      `no node tells whom more than ${limits.unreadRecordsMax} transactions of followed blocks pay; put a node of another provider first in the networks file`,
    )
  }
}

/** Those whose turn it is to be asked for again, the longest due first; each gets its next turn, later every time. */
export async function takeUnreadDeposits(
  tx: Tx,
  network: NetworkId,
  nowMilliseconds: number,
): Promise<readonly UnreadArrival[]> {
  const rows = await tx.query<{
    hash: TransactionHash
    height: string
    block_hash: string
    address: Address | typeof NOBODY_KNOWN
  }>(
    'unread_deposits_take',
    `update unread_deposits u set asks = u.asks + 1, ask_at = to_timestamp($2 / 1000.0)
       + make_interval(secs => least($3 * 2 ^ least(u.asks, ${DOUBLINGS_MAX}), $4::float8))
     where u.network = $1 and u.hash in (
       select hash from unread_deposits where network = $1 and (ask_at <= to_timestamp($2 / 1000.0)
         -- Named by a clock that was set back since.
         or ask_at > to_timestamp($2 / 1000.0) + make_interval(secs => $4::float8))
       order by ask_at, hash limit $5)
     returning u.hash, u.height, u.block_hash, u.address`,
    [
      network,
      nowMilliseconds,
      FIRST_PAUSE_SECONDS,
      limits.unreadDepositAskSecondsMax,
      limits.unreadDepositsMax,
    ],
  )
  return rows.map((row) => ({
    transactionHash: row.hash,
    height: BigInt(row.height),
    blockHash: row.block_hash,
    ...(row.address === NOBODY_KNOWN ? {} : { address: row.address }),
  }))
}

/** Keeps whom one pays, of which nobody could tell that: now it is no row of an unknown address any more. Nothing happens where it is none, or was forgotten meanwhile. */
export async function nameUnreadDeposit(
  tx: Tx,
  network: NetworkId,
  { transactionHash, blockHash }: UnreadArrival,
  address: Address,
): Promise<void> {
  await tx.query(
    'unread_deposits_name',
    `update unread_deposits set address = $4 where network = $1 and hash = $2 and block_hash = $3 and address = $5`,
    [network, transactionHash, blockHash, address, NOBODY_KNOWN],
  )
}

/** It has been told; false where it was forgotten meanwhile. */
export async function forgetUnreadDeposit(
  tx: Tx,
  network: NetworkId,
  { transactionHash, blockHash }: UnreadArrival,
): Promise<boolean> {
  const rows = await tx.query(
    'unread_deposits_forget',
    `delete from unread_deposits where network = $1 and hash = $2 and block_hash = $3 returning hash`,
    [network, transactionHash, blockHash],
  )
  return rows.length > 0
}

/** The blocks above a height are not in the chain any more. */
export async function forgetUnreadDepositsAbove(
  tx: Tx,
  network: NetworkId,
  height: bigint,
): Promise<void> {
  await tx.query(
    'unread_deposits_undone',
    `delete from unread_deposits where network = $1 and height > $2`,
    [network, height.toString()],
  )
}

/** Those of every network that were set aside so long ago that a person should look, the oldest first. */
export async function oldUnreadDeposits(
  tx: Tx,
  { beforeMilliseconds, count }: { readonly beforeMilliseconds: number; readonly count: number },
): Promise<
  readonly {
    readonly network: NetworkId
    readonly address: Address | typeof NOBODY_KNOWN
    readonly hash: TransactionHash
    readonly sinceMilliseconds: number
  }[]
> {
  const rows = await tx.query<{
    network: NetworkId
    address: Address | typeof NOBODY_KNOWN
    hash: TransactionHash
    since: string
  }>(
    'unread_deposits_old',
    `select network, address, hash, floor(extract(epoch from since) * 1000)::bigint as since
     from unread_deposits where since <= to_timestamp($1 / 1000.0) order by since, hash limit $2`,
    [beforeMilliseconds, count],
  )
  return rows.map(({ since, ...row }) => ({ ...row, sinceMilliseconds: Number(since) }))
}
