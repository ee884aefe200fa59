import type { NetworkId } from '@florin/wire/network.ts'
import type { Block } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

/** How far a network's markets have been read, as this holder of the lease knows it. */
export interface MarketCursor {
  readonly network: NetworkId
  readonly height: bigint
  readonly blockHash: string
  readonly finalizedHeight: bigint
  /** Grows with every new holder of the lease; a write under an older one is refused. */
  readonly fence: bigint
}

/** Another instance reads these markets now: drop what was computed. */
export class MarketLeaseLost extends Error {
  override readonly name = 'MarketLeaseLost'
}

/** Begins reading after a block, once per network. */
export async function beginMarkets(
  tx: Tx,
  network: NetworkId,
  block: Pick<Block, 'height' | 'hash'>,
): Promise<void> {
  const rows = await tx.query(
    'markets_begin',
    `insert into market_followers (network, height, block_hash, finalized_height) values ($1, $2, $3, $2)
     on conflict (network) do nothing returning network`,
    [network, block.height.toString(), block.hash],
  )
  if (rows.length > 0) await storeMarketBlocks(tx, network, [block])
}

/**
 * Takes or renews the lease; undefined while another instance holds it, or before the first block. Ends by the database's clock as that of
 * `takeLease` does.
 */
export async function takeMarketLease(
  tx: Tx,
  network: NetworkId,
  owner: string,
  leaseMilliseconds: number,
): Promise<MarketCursor | undefined> {
  const rows = await tx.query<{
    height: string
    block_hash: string
    finalized_height: string
    fence: string
  }>(
    'markets_lease',
    `update market_followers set lease_owner = $2, lease_until = now() + $3 * interval '1 millisecond',
       fence = case when lease_owner = $2 and lease_until > now() then fence else fence + 1 end
     where network = $1 and (lease_owner is null or lease_owner = $2 or lease_until < now()
       or lease_until > now() + $4 * interval '1 millisecond')
     returning height, block_hash, finalized_height, fence`,
    [network, owner, leaseMilliseconds, leaseMilliseconds + limits.clockAheadSeconds * 1000],
  )
  const row = rows[0]
  return (
    row && {
      network,
      height: BigInt(row.height),
      blockHash: row.block_hash,
      finalizedHeight: BigInt(row.finalized_height),
      fence: BigInt(row.fence),
    }
  )
}

/** Gives the lease back at once. */
export async function releaseMarketLease(tx: Tx, network: NetworkId, owner: string): Promise<void> {
  await tx.query(
    'markets_release',
    `update market_followers set lease_until = now() where network = $1 and lease_owner = $2`,
    [network, owner],
  )
}

/** Moves the cursor, under its fence. @throws {MarketLeaseLost} */
export async function moveMarketCursor(
  tx: Tx,
  cursor: MarketCursor,
  to: { readonly height: bigint; readonly blockHash: string; readonly finalizedHeight: bigint },
): Promise<MarketCursor> {
  const rows = await tx.query(
    'markets_move',
    `update market_followers set height = $3, block_hash = $4, finalized_height = $5
     where network = $1 and fence = $2 returning network`,
    [
      cursor.network,
      cursor.fence.toString(),
      to.height.toString(),
      to.blockHash,
      to.finalizedHeight.toString(),
    ],
  )
  if (rows.length === 0) throw new MarketLeaseLost('another instance reads these markets')
  return { ...cursor, ...to }
}

export async function storeMarketBlocks(
  tx: Tx,
  network: NetworkId,
  blocks: readonly Pick<Block, 'height' | 'hash'>[],
): Promise<void> {
  await tx.query(
    'market_blocks_store',
    `insert into market_blocks (network, height, block_hash)
     select $1, * from unnest($2::bigint[], $3::text[])`,
    [network, blocks.map(({ height }) => height.toString()), blocks.map(({ hash }) => hash)],
  )
}

/** The newest remembered blocks, from the newest down. */
export async function marketBlocks(
  tx: Tx,
  network: NetworkId,
): Promise<readonly { readonly height: bigint; readonly blockHash: string }[]> {
  const rows = await tx.query<{ height: string; block_hash: string }>(
    'market_blocks_read',
    `select height, block_hash from market_blocks where network = $1 order by height desc limit $2`,
    [network, limits.rememberedBlocksMax],
  )
  return rows.map((row) => ({ height: BigInt(row.height), blockHash: row.block_hash }))
}

/** Forgets blocks above a height, which a reorg took away. */
export async function undoMarketBlocks(tx: Tx, network: NetworkId, above: bigint): Promise<void> {
  await tx.query(
    'market_blocks_undo',
    `delete from market_blocks where network = $1 and height > $2`,
    [network, above.toString()],
  )
}

/** Forgets blocks that no reorg within the policy reaches, at most so many. Says how many. */
export async function forgetMarketBlocks(
  tx: Tx,
  { network, finalizedHeight }: MarketCursor,
  count: number,
): Promise<number> {
  const removed = await tx.query(
    'market_blocks_forget',
    `delete from market_blocks where network = $1 and height = any (array(
       select height from market_blocks where network = $1 and height < $2 order by height limit $3))
     returning 1`,
    [network, (finalizedHeight - BigInt(limits.finalBlocksKept)).toString(), count],
  )
  return removed.length
}
