import type { NetworkId } from '@florin/wire/network.ts'
import type { Tx } from '../store/postgres.ts'

/** At which height the follower has read a block of this hash; undefined where it has not, or no longer remembers it. */
export async function followedHeightOf(
  tx: Tx,
  network: NetworkId,
  blockHash: string,
): Promise<bigint | undefined> {
  const rows = await tx.query<{ height: string }>(
    'followed_block_height',
    `select height from followed_blocks where network = $1 and block_hash = $2`,
    [network, blockHash],
  )
  return rows[0] && BigInt(rows[0].height)
}

/** The heights of the first final blocks after one, so many, or as many as have been read. */
export async function finalHeightsAfter(
  tx: Tx,
  network: NetworkId,
  height: bigint,
  count: number,
): Promise<readonly bigint[]> {
  const rows = await tx.query<{ height: string }>(
    'followed_blocks_after',
    `select b.height from followers f join followed_blocks b on b.network = f.network
     where f.network = $1 and b.height > $2 and b.height <= f.finalized_height
     order by b.height limit $3`,
    [network, height.toString(), count],
  )
  return rows.map((row) => BigInt(row.height))
}
