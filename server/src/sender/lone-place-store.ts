import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'

/** What became so far of a place that carries no payment. */
export interface LonePlace {
  readonly state: 'open' | 'mined' | 'final' | 'dead'
  /** It ran, and did not come to nothing. False before it is in a block. */
  readonly succeeded: boolean
  /** The transaction that is in a block, else the newest attempt. */
  readonly hash: TransactionHash | null
  readonly minedHeight: bigint | null
}

/** The place of an attempt; undefined where there is none. */
export async function placeOfAttempt(
  tx: Tx,
  network: NetworkId,
  hash: TransactionHash,
): Promise<string | undefined> {
  const rows = await tx.query<{ id: string }>(
    'lone_place_of_attempt',
    `select chain_transaction_id as id from attempts where network = $1 and hash = $2`,
    [network, hash],
  )
  return rows[0]?.id
}

/** Undefined where there is none. One whose nonce was taken by a transaction of nothing, which an operator had sent to fill it, did not succeed. */
export async function lonePlace(tx: Tx, transactionId: string): Promise<LonePlace | undefined> {
  const [row] = await tx.query<{
    state: LonePlace['state']
    succeeded: boolean
    hash: TransactionHash | null
    mined_height: string | null
  }>(
    'lone_place',
    `select t.state, t.mined_height,
       coalesce(t.succeeded, false) and not exists (select from attempts filling where filling.chain_transaction_id = t.id
         and filling.hash = t.mined_hash and filling.terms ->> 'to' = t.lane_address) as succeeded,
       coalesce(t.mined_hash, (select hash from attempts where chain_transaction_id = t.id order by number desc limit 1)) as hash
     from chain_transactions t where t.id = $1`,
    [transactionId],
  )
  if (row === undefined) return undefined
  const { state, succeeded, hash, mined_height: height } = row
  return { state, succeeded, hash, minedHeight: height === null ? null : BigInt(height) }
}

/** Whether it can take no effect any more. */
export function cameToNothing({ state, succeeded }: Pick<LonePlace, 'state' | 'succeeded'>) {
  return state === 'dead' || (state === 'final' && !succeeded)
}
