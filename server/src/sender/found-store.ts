import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'

/** An open place of which a node's history holds an attempt, though no block that was followed holds it. */
export interface FoundPlace {
  readonly transactionId: string
  readonly network: NetworkId
  readonly address: Address
  readonly nonce: bigint
  /** The attempt that was found. */
  readonly hash: TransactionHash
  /** Every node that found it. */
  readonly nodes: readonly string[]
  /** When the first of them did. */
  readonly sinceMilliseconds: number
}

/**
 * Places that were found so long ago that the follower should have seen them, the oldest first: one row for each attempt. Such a
 * place stays pending, because what was found once is never replaced, and only a person can tell who is wrong.
 */
export async function foundPlaces(
  tx: Tx,
  wanted: {
    /** Null: of every network. */
    readonly network: NetworkId | null
    readonly beforeMilliseconds: number
    readonly count: number
  },
): Promise<readonly FoundPlace[]> {
  const rows = await tx.query<{
    id: string
    network: NetworkId
    lane_address: Address
    nonce: string
    hash: TransactionHash
    nodes: string[]
    since: string
  }>(
    'expiry_found_places',
    `select t.id, t.network, t.lane_address, t.nonce, a.hash, array_agg(distinct l.node) as nodes,
       floor(extract(epoch from min(l.looked_at)) * 1000)::bigint as since
     from chain_transactions t
     join attempts a on a.chain_transaction_id = t.id
     join expiry_looks l on l.attempt_id = a.id and l.found
     where t.state = 'open' and ($1::text is null or t.network = $1)
     group by t.id, a.id
     having min(l.looked_at) <= to_timestamp($2 / 1000.0)
     order by min(l.looked_at), a.id limit $3`,
    [wanted.network, wanted.beforeMilliseconds, wanted.count],
  )
  return rows.map((row) => ({
    transactionId: row.id,
    network: row.network,
    address: row.lane_address,
    nonce: BigInt(row.nonce),
    hash: row.hash,
    nodes: row.nodes,
    sinceMilliseconds: Number(row.since),
  }))
}
