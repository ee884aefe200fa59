import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { SightedPlace } from '../sender/build-book.ts'
import type { Tx } from '../store/postgres.ts'

/** A transaction in a followed block that stands for a build, and of which nobody could say what it did. */
export interface UnreadBuild extends SightedPlace {
  readonly paymentId: PaymentId
}

/** Notes them in the transaction that moves the cursor past their block: their builds are not over. Those that were not noted before. */
export async function noteUnread(
  tx: Tx,
  network: NetworkId,
  unread: readonly UnreadBuild[],
): Promise<readonly UnreadBuild[]> {
  if (unread.length === 0) return []
  const rows = await tx.query<{ payment_id: PaymentId; hash: TransactionHash }>(
    'unread_builds_note',
    `insert into unread_builds (network, payment_id, hash, height, block_hash)
     select $1, * from unnest($2::text[], $3::text[], $4::bigint[], $5::text[])
     on conflict do nothing returning payment_id, hash`,
    [
      network,
      unread.map(({ paymentId }) => paymentId),
      unread.map(({ transactionHash }) => transactionHash),
      unread.map(({ height }) => height.toString()),
      unread.map(({ blockHash }) => blockHash),
    ],
  )
  return unread.filter(({ paymentId, transactionHash }) =>
    rows.some((row) => row.payment_id === paymentId && row.hash === transactionHash),
  )
}

/** Those of live builds that come after one, in an order of their own; from the first on where none comes after it. */
export async function unreadBuilds(
  tx: Tx,
  network: NetworkId,
  after: Pick<UnreadBuild, 'paymentId' | 'transactionHash'> | undefined,
  count: number,
): Promise<readonly UnreadBuild[]> {
  const rows = await tx.query<{
    payment_id: PaymentId
    hash: TransactionHash
    height: string
    block_hash: string
  }>(
    'unread_builds_page',
    `select u.payment_id, u.hash, u.height, u.block_hash from unread_builds u
     join builds b on b.payment_id = u.payment_id and b.closed_at is null and b.seen_height is null
     where u.network = $1 and (u.payment_id, u.hash) > ($2, $3) order by u.payment_id, u.hash limit $4`,
    [network, after?.paymentId ?? '', after?.transactionHash ?? '', count],
  )
  if (rows.length === 0 && after !== undefined) return unreadBuilds(tx, network, undefined, count)
  return rows.map((row) => ({
    paymentId: row.payment_id,
    transactionHash: row.hash,
    height: BigInt(row.height),
    blockHash: row.block_hash,
  }))
}

/** Those of live builds of every network that were built so long ago that a person should look, the oldest first. Since when: since they were built. */
export async function oldUnreadBuilds(
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
    'unread_builds_old',
    `select u.network, b.sender as address, u.hash, min(b.created_at) as since from unread_builds u
     join builds b on b.payment_id = u.payment_id and b.closed_at is null and b.seen_height is null
     where b.created_at <= to_timestamp($1 / 1000.0)
     group by u.network, b.sender, u.hash order by since, u.hash limit $2`,
    [beforeMilliseconds, count],
  )
  return rows.map(({ since, ...row }) => ({ ...row, sinceMilliseconds: since.getTime() }))
}

/** How many transactions in read blocks stand for live builds of each network, and nobody tells what they did. */
export async function unreadBuildFigures(
  tx: Tx,
  networks: readonly string[],
): Promise<readonly { readonly network: string; readonly unread: number }[]> {
  const rows = await tx.query<{ network: string; unread: string }>(
    'unread_builds_figures',
    `select n.network, (select count(distinct u.hash) from unread_builds u
       join builds b on b.payment_id = u.payment_id and b.closed_at is null and b.seen_height is null
       where u.network = n.network) as unread
     from unnest($1::text[]) as n (network)`,
    [networks],
  )
  return rows.map(({ network, unread }) => ({ network, unread: Number(unread) }))
}

/** They have been read. */
export async function forgetUnread(
  tx: Tx,
  network: NetworkId,
  read: readonly SightedPlace[],
): Promise<void> {
  if (read.length === 0) return
  await tx.query(
    'unread_builds_forget',
    `delete from unread_builds where network = $1 and height = any($2::bigint[]) and hash = any($3)`,
    [
      network,
      read.map(({ height }) => height.toString()),
      read.map(({ transactionHash }) => transactionHash),
    ],
  )
}

/** The blocks above a height are not in the chain any more. */
export async function forgetUnreadAbove(tx: Tx, network: NetworkId, height: bigint): Promise<void> {
  await tx.query(
    'unread_builds_undone',
    `delete from unread_builds where network = $1 and height > $2`,
    [network, height.toString()],
  )
}
