import type { NetworkId } from '@florin/wire/network.ts'
import type { BatchOperation } from '../chains/batch.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** What makes a call of ours to an escrow one and the same. */
export interface CallName {
  readonly network: NetworkId
  readonly key: string
}

/** A call that is to be made. */
export interface NewCall extends CallName {
  readonly accountId: AccountId
  readonly operation: BatchOperation
  /** SHA-256 of what it is about. */
  readonly contentDigest: Uint8Array
}

/** A call as it was stored, and what became of its transaction so far. */
export interface StoredCall {
  readonly accountId: AccountId
  readonly operation: BatchOperation
  readonly contentDigest: Uint8Array
  readonly state: 'open' | 'mined' | 'final' | 'dead'
  /** It ran, and did not come to nothing. False before it is in a block. */
  readonly succeeded: boolean
  /** The transaction that is in a block, else the newest attempt. */
  readonly hash: TransactionHash | null
  readonly minedHeight: bigint | null
}

/** Its nonce was taken by a transaction of nothing, which an operator had sent to fill it. */
const FILLED = `exists (select from attempts filling where filling.chain_transaction_id = t.id and filling.hash = t.mined_hash
  and filling.terms ->> 'to' = t.lane_address)`

/**
 * Stores a call before it is signed. False where it was stored before, whoever asked for it, unless it came to nothing for good: then that one stays by another name, with its place, and
 * this is made in its stead. One that is being stored at this moment is waited for.
 */
export async function holdCall(
  tx: Tx,
  { network, key, accountId, operation, contentDigest }: NewCall,
  nowMilliseconds: number,
): Promise<boolean> {
  await tx.query(
    'escrow_call_let_go',
    `update escrow_calls held set call_key = call_key || ' of place ' || chain_transaction_id
     where network = $1 and call_key = $2 and exists (select from chain_transactions t where t.id = held.chain_transaction_id
       and (t.state = 'dead' or t.state = 'final' and not (t.succeeded and not ${FILLED})))`,
    [network, key],
  )
  const rows = await tx.query(
    'escrow_call_hold',
    `insert into escrow_calls (network, call_key, account_id, operation, content_digest, created_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0)) on conflict do nothing returning call_key`,
    [network, key, accountId, operation, Buffer.from(contentDigest), nowMilliseconds],
  )
  return rows.length === 1
}

/** Notes by which transaction a call is made, in the transaction that stores both. */
export async function noteCallTransaction(
  tx: Tx,
  { network, key }: CallName,
  hash: TransactionHash,
): Promise<void> {
  const rows = await tx.query(
    'escrow_call_note',
    `update escrow_calls c set chain_transaction_id = a.chain_transaction_id from attempts a
     where c.network = $1 and c.call_key = $2 and a.network = $1 and a.hash = $3 returning c.call_key`,
    [network, key, hash],
  )
  if (rows.length !== 1) throw new Error('a call to an escrow has no transaction')
}

/** What was stored of a call; undefined where nobody has asked for it. */
export async function findCall(
  tx: Tx,
  { network, key }: CallName,
): Promise<StoredCall | undefined> {
  const [row] = await tx.query<{
    account_id: AccountId
    operation: BatchOperation
    content_digest: Buffer
    state: StoredCall['state']
    succeeded: boolean
    hash: TransactionHash | null
    mined_height: string | null
  }>(
    'escrow_call_find',
    `select c.account_id, c.operation, c.content_digest, t.state, t.mined_height,
       coalesce(t.succeeded, false) and not ${FILLED} as succeeded,
       coalesce(t.mined_hash, (select hash from attempts where chain_transaction_id = t.id order by number desc limit 1)) as hash
     from escrow_calls c join chain_transactions t on t.id = c.chain_transaction_id
     where c.network = $1 and c.call_key = $2`,
    [network, key],
  )
  if (row === undefined) return undefined
  return {
    accountId: row.account_id,
    operation: row.operation,
    contentDigest: new Uint8Array(row.content_digest),
    state: row.state,
    succeeded: row.succeeded,
    hash: row.hash,
    minedHeight: row.mined_height === null ? null : BigInt(row.mined_height),
  }
}

/**
 * Takes the success of a call, which is given once, and again under the idempotency key that it was given under. `again` is of whoever took it: from then on it stays given, whatever
 * becomes of either answer. Undefined where somebody else has it.
 */
export async function takeSuccess(
  tx: Tx,
  { network, key }: CallName,
  givenKey: string | null,
  nowMilliseconds: number,
): Promise<'first' | 'again' | undefined> {
  const first = await tx.query(
    'escrow_call_take',
    `update escrow_calls set given_at = to_timestamp($3 / 1000.0), given_key = $4
     where network = $1 and call_key = $2 and given_at is null returning call_key`,
    [network, key, nowMilliseconds, givenKey],
  )
  if (first.length === 1) return 'first'
  // Another moment than every one that can be given back, which are whole milliseconds.
  const again = await tx.query(
    'escrow_call_take_again',
    `update escrow_calls set given_at = date_trunc('milliseconds', given_at) + interval '1 microsecond'
     where network = $1 and call_key = $2 and given_key = $3 returning call_key`,
    [network, key, givenKey],
  )
  return again.length === 1 ? 'again' : undefined
}

/** Gives it back: nobody heard of it who took it first, at that moment, and nobody has it again. */
export async function giveBackSuccess(
  tx: Tx,
  { network, key }: CallName,
  takenAtMilliseconds: number,
): Promise<void> {
  await tx.query(
    'escrow_call_give_back',
    `update escrow_calls set given_at = null, given_key = null
     where network = $1 and call_key = $2 and given_at = to_timestamp($3 / 1000.0)`,
    [network, key, takenAtMilliseconds],
  )
}
