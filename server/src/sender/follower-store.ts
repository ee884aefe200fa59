import { familyOf } from '@florin/wire/network.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Block } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

/** How far a network has been read, as this holder of its lease knows it. */
export interface Cursor {
  readonly network: NetworkId
  readonly height: bigint
  readonly blockHash: string
  readonly finalizedHeight: bigint
  /** Grows with every new holder of the lease, and where what was read is to be read anew; a write under an older one is refused. */
  readonly fence: bigint
  readonly haltedReason: string | null
}

interface CursorRow {
  readonly height: string
  readonly block_hash: string
  readonly finalized_height: string
  readonly fence: string
  readonly halted_reason: string | null
}

/** Another instance holds the lease now: drop what was computed and start over. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Begins following at a final block, once per network: nothing of ours is mined before it, because nothing is signed for a network that
 * nobody follows, and no reorg within the policy goes below it.
 */
export async function beginFollowing(
  tx: Tx,
  network: NetworkId,
  block: Pick<Block, 'height' | 'hash'>,
): Promise<void> {
  const rows = await tx.query<{ network: string }>(
    'follower_begin',
    `insert into followers (network, height, block_hash, finalized_height) values ($1, $2, $3, $2)
     on conflict (network) do nothing returning network`,
    [network, block.height.toString(), block.hash],
  )
  if (rows.length === 0) return
  await tx.query(
    'follower_first_block',
    `insert into followed_blocks (network, height, block_hash, parent_hash) values ($1, $2, $3, '')`,
    [network, block.height.toString(), block.hash],
  )
}

/** How far the network has been read, or null before the first node answer ever. */
export async function followedHeight(tx: Tx, network: NetworkId): Promise<bigint | null> {
  return (await networkFollowed(tx, network)).height
}

/**
 * Of what nodes say of final blocks, that which is about a block that was read or soon will be. One that names a height of the far future would be
 * waited for without an end; asked again, it or another one says another.
 */
export async function withinReach<Word extends { readonly height: bigint }>(
  tx: Tx,
  network: NetworkId,
  words: readonly Word[],
): Promise<readonly Word[]> {
  const read = (await followedHeight(tx, network)) ?? 0n
  return words.filter(({ height }) => height <= read + BigInt(limits.deadAheadBlocksMax))
}

/** How far each of the networks has been read; one that was never followed is missing. */
export async function followedHeights(
  tx: Tx,
  networks: readonly NetworkId[],
): Promise<ReadonlyMap<NetworkId, bigint>> {
  const rows = await tx.query<{ network: NetworkId; height: string }>(
    'follower_heights',
    `select network, height from followers where network = any($1) and height is not null`,
    [networks],
  )
  return new Map(rows.map(({ network, height }) => [network, BigInt(height)]))
}

/** How far each network that anybody follows has been read, and whether it waits for an operator. */
export async function followedNetworks(
  tx: Tx,
): Promise<ReadonlyMap<string, { readonly height: bigint; readonly isHalted: boolean }>> {
  const rows = await tx.query<{ network: string; height: string; halted_reason: string | null }>(
    'follower_networks',
    `select network, height, halted_reason from followers`,
    [],
  )
  return new Map(
    rows.map(({ network, height, halted_reason: halted }) => [
      network,
      { height: BigInt(height), isHalted: halted !== null },
    ]),
  )
}

/** How far a network has been read, and the hashes that the read chain has at the given heights. */
export interface FollowedChain {
  readonly height: bigint
  /** Hash of the last block read, empty before the first. */
  readonly tip: string
  readonly hashes: ReadonlyMap<bigint, string>
}

/** Holds the followed chain as it is until the transaction ends: what it shows now, no reorganisation takes back in between. */
export async function holdFollowed(tx: Tx, network: NetworkId): Promise<void> {
  await tx.query('follower_hold', `select 1 from followers where network = $1 for share`, [network])
}

/** Takes the follower's row before the rows of payments, in the order in which whoever holds the followed chain takes them. */
export async function lockFollowed(tx: Tx, network: NetworkId): Promise<void> {
  await tx.query('follower_lock', `select 1 from followers where network = $1 for no key update`, [
    network,
  ])
}

/**
 * Has blocks that are being read just now read once more by whoever reads them: what this transaction lets be ours was not looked for in them. None is
 * stored until it ends. Takes the follower's row, before those of lanes.
 */
export async function haveReadAnew(tx: Tx, network: NetworkId): Promise<void> {
  await tx.query(
    'follower_read_anew',
    `update followers set fence = fence + 1 where network = $1`,
    [network],
  )
}

export async function followedChain(
  tx: Tx,
  network: NetworkId,
  heights: readonly bigint[],
): Promise<FollowedChain> {
  const rows = await tx.query<{
    height: string
    tip: string
    at: string | null
    block_hash: string | null
  }>(
    'follower_chain',
    `select f.height, f.block_hash as tip, b.height as at, b.block_hash from followers f
     left join followed_blocks b on b.network = f.network and b.height = any($2::bigint[])
     where f.network = $1`,
    [network, heights.map(String)],
  )
  const hashes = new Map<bigint, string>()
  for (const { at, block_hash: hash } of rows)
    if (at !== null && hash !== null) hashes.set(BigInt(at), hash)
  return { height: BigInt(rows[0]?.height ?? -1), tip: rows[0]?.tip ?? '', hashes }
}

/** Whether money may be signed for on a network: somebody follows it, and no operator has to look at it first. */
export type Standing = 'followed' | 'halted' | 'unfollowed'

/** How a network stands now. */
export async function networkStanding(tx: Tx, network: NetworkId): Promise<Standing> {
  return (await networkFollowed(tx, network)).standing
}

/** The same, and how far it has been read. */
export async function networkFollowed(
  tx: Tx,
  network: NetworkId,
): Promise<{ readonly standing: Standing; readonly height: bigint | null }> {
  const rows = await tx.query<{ height: string; halted_reason: string | null }>(
    'follower_height',
    `select height, halted_reason from followers where network = $1`,
    [network],
  )
  const row = rows[0]
  if (row === undefined) return { standing: 'unfollowed', height: null }
  return {
    standing: row.halted_reason === null ? 'followed' : 'halted',
    height: BigInt(row.height),
  }
}

/** What somebody who asked for a lease is told. */
export interface LeaseAnswer {
  /** Undefined while another instance holds it. */
  readonly cursor: Cursor | undefined
  /** How far the network has been read, by whoever follows; null before anybody has begun. */
  readonly height: bigint | null
}

/**
 * Takes or renews the lease of a network. Lease time is the database's: one that lasts longer than any was taken before its clock was set back, and is
 * over. Should its holder live, the fence tells it.
 */
export async function askForLease(
  tx: Tx,
  network: NetworkId,
  owner: string,
  leaseMilliseconds: number,
): Promise<LeaseAnswer> {
  const rows = await tx.query<CursorRow & { readonly is_taken: boolean }>(
    'follower_lease',
    `with taken as (update followers set lease_owner = $2, lease_until = now() + $3 * interval '1 millisecond',
         fence = case when lease_owner = $2 and lease_until > now() then fence else fence + 1 end
       where network = $1 and (lease_owner is null or lease_owner = $2 or lease_until < now()
         or lease_until > now() + $4 * interval '1 millisecond')
       returning height, block_hash, finalized_height, fence, halted_reason)
     select true as is_taken, * from taken
     union all select false, height, block_hash, finalized_height, fence, halted_reason from followers
     where network = $1 and not exists (select from taken)`,
    [network, owner, leaseMilliseconds, leaseMilliseconds + limits.clockAheadSeconds * 1000],
  )
  const [row] = rows
  if (row === undefined) return { cursor: undefined, height: null }
  const [height, finalizedHeight] = [BigInt(row.height), BigInt(row.finalized_height)]
  if (!row.is_taken) return { cursor: undefined, height }
  const { block_hash: blockHash, halted_reason: haltedReason, fence } = row
  const moving = { network, height, blockHash, finalizedHeight, haltedReason }
  return { cursor: { ...moving, fence: BigInt(fence) }, height }
}

/** The same for who asks for nothing but the lease; undefined while another instance holds it. */
export async function takeLease(...asked: Parameters<typeof askForLease>) {
  return (await askForLease(...asked)).cursor
}

/** Gives the lease back at once, so that another instance need not wait for it to run out. */
export async function releaseLease(tx: Tx, network: NetworkId, owner: string): Promise<void> {
  await tx.query(
    'follower_release',
    `update followers set lease_until = now() where network = $1 and lease_owner = $2`,
    [network, owner],
  )
}

/** Writes how far the network has been read. Refuses LeaseLost where another instance has the lease. */
export async function moveCursor(
  tx: Tx,
  cursor: Cursor,
  to: { height: bigint; blockHash: string; finalizedHeight: bigint },
): Promise<{ readonly isHalted: boolean }> {
  const rows = await tx.query<{ halted_reason: string | null }>(
    'follower_move',
    `update followers set height = $3, block_hash = $4, finalized_height = $5
     where network = $1 and fence = $2 returning network, halted_reason`,
    [
      cursor.network,
      cursor.fence.toString(),
      to.height.toString(),
      to.blockHash,
      to.finalizedHeight.toString(),
    ],
  )
  const [row] = rows
  if (row === undefined) throw new LeaseLost('the follower lease went to another instance')
  return { isHalted: row.halted_reason !== null }
}

/** Moves on, unless an operator has to look first: a holder of the lease may not have heard of that. */
async function moveOn(...call: Parameters<typeof moveCursor>): Promise<void> {
  const { isHalted } = await moveCursor(...call)
  if (isHalted) throw new LeaseLost('the network was halted')
}

/** Refuses a write of an instance that has lost the lease or not heard of a halt, and holds the followed chain until the transaction ends. */
export async function holdLease(
  tx: Tx,
  { network, fence }: Pick<Cursor, 'network' | 'fence'>,
): Promise<void> {
  const [row] = await tx.query<{ halted_reason: string | null }>(
    'follower_hold_lease',
    `select halted_reason from followers where network = $1 and fence = $2 for share`,
    [network, fence.toString()],
  )
  if (row === undefined) throw new LeaseLost('the follower lease went to another instance')
  if (row.halted_reason !== null) throw new LeaseLost('the network was halted')
}

/** Remembers blocks that were read and moves the cursor to the last of them. */
export async function storeBlocks(
  tx: Tx,
  cursor: Cursor,
  blocks: readonly Block[],
): Promise<Cursor> {
  const last = blocks.at(-1)
  if (last === undefined) return cursor
  // The fence before the blocks: an instance that has lost the lease must hear of that, not of blocks that are there already.
  const moved = { ...cursor, height: last.height, blockHash: last.hash }
  await moveOn(tx, cursor, moved)
  await tx.query(
    'followed_blocks_store',
    `insert into followed_blocks (network, height, block_hash, parent_hash)
     select $1, * from unnest($2::bigint[], $3::text[], $4::text[])`,
    [
      cursor.network,
      blocks.map((block) => block.height.toString()),
      blocks.map((block) => block.hash),
      blocks.map((block) => block.parentHash),
    ],
  )
  return moved
}

/** Raises the final height and forgets the blocks that no reorg within the policy can reach any more, and by which nothing is dated. */
export async function storeFinality(
  tx: Tx,
  cursor: Cursor,
  finalizedHeight: bigint,
): Promise<Cursor> {
  const moved = { ...cursor, finalizedHeight }
  await moveOn(tx, cursor, moved)
  const isDated = familyOf(cursor.network) === 'solana'
  const kept = isDated ? limits.datedBlocksKept : limits.finalBlocksKept
  await tx.query(
    'followed_blocks_forget',
    `delete from followed_blocks where network = $1 and height < $2`,
    [cursor.network, (finalizedHeight - BigInt(kept)).toString()],
  )
  return moved
}

/** The remembered blocks from the newest down, for finding where a reorg began: each of them is asked for again, so none by which things are dated only. */
export async function rememberedBlocks(
  tx: Tx,
  { network, height, finalizedHeight }: Pick<Cursor, 'network' | 'height' | 'finalizedHeight'>,
): Promise<readonly { height: bigint; blockHash: string }[]> {
  const lowest = finalizedHeight - BigInt(limits.finalBlocksKept)
  const rows = await tx.query<{ height: string; block_hash: string }>(
    'followed_blocks_read',
    `select height, block_hash from followed_blocks where network = $1 and height <= $2 and height >= $3
     order by height desc limit $4`,
    [network, height.toString(), lowest.toString(), limits.rememberedBlocksMax],
  )
  return rows.map((row) => ({ height: BigInt(row.height), blockHash: row.block_hash }))
}

/** The hashes among these of blocks that the follower has read on its chain. */
export async function areFollowed(
  tx: Tx,
  network: NetworkId,
  blocks: readonly { readonly height: bigint; readonly hash: string }[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ block_hash: string }>(
    'followed_blocks_among',
    `select f.block_hash from followed_blocks f
     join unnest($2::bigint[], $3::text[]) as told(height, block_hash)
       on f.height = told.height and f.block_hash = told.block_hash
     where f.network = $1`,
    [network, blocks.map(({ height }) => height.toString()), blocks.map(({ hash }) => hash)],
  )
  return new Set(rows.map((row) => row.block_hash))
}

/**
 * Whether a block that a node showed is one of the chain that was read, or lies below all that is remembered of it, where no reorg within
 * the policy reaches. A block of the same height on a branch that was left behind is not.
 */
export async function standsOnFollowed(
  tx: Tx,
  network: NetworkId,
  { height, blockHash }: { readonly height: bigint; readonly blockHash: string },
): Promise<boolean> {
  const rows = await tx.query<{ stands: boolean }>(
    'followed_block_stands',
    `select exists (select from followed_blocks where network = $1 and height = $2 and block_hash = $3)
       or $2::bigint < (select min(height) from followed_blocks where network = $1) as stands`,
    [network, height.toString(), blockHash],
  )
  return rows[0]?.stands === true
}
