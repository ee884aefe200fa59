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
  readonly minedBlockHash: string | null
  /** What the network took; null before it is in a block. */
  readonly feePaid: bigint | null
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

/** The places of a transaction, by the id of any attempt at it: on every network that was ever followed. */
export async function placesOfHash(
  tx: Pick<Tx, 'query'>,
  hash: string,
): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    'lone_places_of_hash',
    `select a.chain_transaction_id as id from followers f join attempts a on a.network = f.network and a.hash = $1`,
    [hash],
  )
  return rows.map(({ id }) => id)
}

/** Undefined where there is none. One whose nonce was taken by a transaction of nothing, which an operator had sent to fill it, did not succeed. */
export async function lonePlace(tx: Tx, transactionId: string): Promise<LonePlace | undefined> {
  return (await lonePlaces(tx, [transactionId])).get(transactionId)
}

/** The same for several, by their ids; those that there are not are left out. */
export async function lonePlaces(
  tx: Pick<Tx, 'query'>,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, LonePlace>> {
  const rows = await tx.query<{
    id: string
    state: LonePlace['state']
    succeeded: boolean
    hash: TransactionHash | null
    mined_height: string | null
    mined_block_hash: string | null
    fee_paid: string | null
  }>(
    'lone_places',
    `select t.id, t.state, t.mined_height, t.mined_block_hash, t.fee_paid,
       coalesce(t.succeeded, false) and not exists (select from attempts filling where filling.chain_transaction_id = t.id
         and filling.hash = t.mined_hash and filling.terms ->> 'to' = t.lane_address) as succeeded,
       coalesce(t.mined_hash, (select hash from attempts where chain_transaction_id = t.id order by number desc limit 1)) as hash
     from unnest($1::bigint[]) as asked (place) cross join lateral (
       -- Each by its id, also where this was planned while the table was empty.
       select * from chain_transactions where id = asked.place offset 0) as t`,
    [transactionIds],
  )
  return new Map(
    rows.map(({ id, state, succeeded, hash, ...mined }) => [
      id,
      {
        ...{ state, succeeded, hash, minedBlockHash: mined.mined_block_hash },
        minedHeight: bigintOrNull(mined.mined_height),
        feePaid: bigintOrNull(mined.fee_paid),
      },
    ]),
  )
}

function bigintOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}

/** Whether it can take no effect any more. */
export function cameToNothing({ state, succeeded }: Pick<LonePlace, 'state' | 'succeeded'>) {
  return state === 'dead' || (state === 'final' && !succeeded)
}
