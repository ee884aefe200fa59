import type { NetworkId } from '@florin/wire/network.ts'
import type { BatchOperation } from '../chains/batch.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { AccountId, EscrowCallId } from '../kernel/id.ts'
import { cameToNothing, lonePlace, placeOfAttempt } from '../sender/lone-place-store.ts'
import type { LonePlace } from '../sender/lone-place-store.ts'
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
  /** Of a settlement its token and receiver; null of everything else. */
  readonly subject: string | null
  readonly record: NewRecord
}

/** What its account reads of a call. */
export interface NewRecord {
  readonly asset: string
  readonly payer: Address | null
  readonly receivers: readonly Address[]
  readonly channelIds: readonly string[]
  /** Base units, of a deposit; of everything else a block shows it. */
  readonly amount: bigint | null
}

/** A call as it was stored, and what became of its transaction so far. */
export interface StoredCall extends LonePlace {
  readonly accountId: AccountId
  readonly operation: BatchOperation
  readonly contentDigest: Uint8Array
}

/**
 * Stores a call before it is signed. False where it was stored before, whoever asked for it, unless it came to nothing for good: then that one stays by another name, with its place, and
 * this is made in its stead. A deposit whose success was given before its block left the chain stays given. One that is being stored at this moment is waited for.
 */
export async function holdCall(
  tx: Tx,
  { network, key, accountId, operation, contentDigest, subject, record }: NewCall,
  id: EscrowCallId,
  nowMilliseconds: number,
): Promise<boolean> {
  const { asset, payer, receivers, channelIds, amount } = record
  const [held] = await tx.query<{ place: string }>(
    'escrow_call_lock',
    `select chain_transaction_id as place from escrow_calls where network = $1 and call_key = $2 for update`,
    [network, key],
  )
  const place = held && (await lonePlace(tx, held.place))
  const isLetGo = place !== undefined && cameToNothing(place)
  if (isLetGo) {
    await tx.query(
      'escrow_call_let_go',
      `update escrow_calls set call_key = call_key || ' of place ' || chain_transaction_id where network = $1 and call_key = $2`,
      [network, key],
    )
  }
  const rows = await tx.query(
    'escrow_call_hold',
    `insert into escrow_calls (network, call_key, account_id, operation, content_digest, subject, created_at,
       id, asset, payer, receivers, channel_ids, amount, status)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0), $8, $9, $10, $11, $12, $13, 'pending')
     on conflict (network, call_key) do nothing returning call_key`,
    [
      ...[network, key, accountId, operation, Buffer.from(contentDigest), subject, nowMilliseconds],
      ...[id, asset, payer, receivers, channelIds, amount?.toString() ?? null],
    ],
  )
  if (rows.length === 1 && channelIds.length > 0) {
    await tx.query(
      'escrow_call_channels_add',
      `insert into escrow_call_channels (account_id, channel_id, call_id) select $1, channel_id, $2 from unnest($3::text[]) channel_id`,
      [accountId, id, channelIds],
    )
  }
  if (isLetGo && operation === 'deposit') {
    await tx.query(
      'escrow_call_keep_given',
      `update escrow_calls made set given_at = gone.given_at, given_key = gone.given_key, given_fingerprint = gone.given_fingerprint,
         catalogued = gone.catalogued
       from escrow_calls gone
       where made.network = $1 and made.call_key = $2 and gone.network = $1 and gone.call_key = $2 || ' of place ' || $3`,
      [network, key, held?.place ?? null],
    )
  }
  return rows.length === 1
}

/** Notes by which transaction a call is made, in the transaction that stores both. */
export async function noteCallTransaction(
  tx: Tx,
  { network, key }: CallName,
  hash: TransactionHash,
): Promise<void> {
  const place = await placeOfAttempt(tx, network, hash)
  if (place === undefined) throw new Error('a call to an escrow has no transaction')
  const rows = await tx.query(
    'escrow_call_note',
    `update escrow_calls set chain_transaction_id = $3 where network = $1 and call_key = $2 returning call_key`,
    [network, key, place],
  )
  if (rows.length !== 1) throw new Error('a transaction is for no call to an escrow')
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
    place: string
  }>(
    'escrow_call_find',
    `select account_id, operation, content_digest, chain_transaction_id as place from escrow_calls where network = $1 and call_key = $2`,
    [network, key],
  )
  const place = row && (await lonePlace(tx, row.place))
  if (row === undefined || place === undefined) return undefined
  const { account_id: accountId, operation, content_digest: digest } = row
  return { accountId, operation, contentDigest: new Uint8Array(digest), ...place }
}

/** The last settlement of a token to a receiver, where it was asked for by this account and nobody was told of it. */
export async function untoldSettlement(
  tx: Tx,
  {
    network,
    subject,
    accountId,
  }: Pick<NewCall, 'network' | 'accountId'> & { readonly subject: string },
): Promise<string | undefined> {
  const [last] = await tx.query<{ call_key: string; is_untold: boolean }>(
    'escrow_call_untold',
    `select call_key, account_id = $3 and given_at is null as is_untold from escrow_calls
     where network = $1 and subject = $2 order by created_at desc, chain_transaction_id desc limit 1`,
    [network, subject, accountId],
  )
  return last?.is_untold === true ? last.call_key : undefined
}

/** A caller's wish to get the same success again under one key. */
export interface GivenKey {
  readonly key: string
  /** SHA-256 of the parsed body. */
  readonly fingerprint: Uint8Array
}

/**
 * Takes the success of a call, which is given once, and again under the idempotency key that it was given under, to the same body. `again` is of whoever took it: from then on it stays given, whatever
 * becomes of either answer. Undefined where somebody else has it.
 */
export async function takeSuccess(
  tx: Tx,
  { network, key }: CallName,
  given: GivenKey | null,
  nowMilliseconds: number,
): Promise<'first' | 'again' | undefined> {
  const fingerprint = given && Buffer.from(given.fingerprint)
  const first = await tx.query(
    'escrow_call_take',
    `update escrow_calls set given_at = to_timestamp($3 / 1000.0), given_key = $4, given_fingerprint = $5
     where network = $1 and call_key = $2 and given_at is null returning call_key`,
    [network, key, nowMilliseconds, given?.key ?? null, fingerprint],
  )
  if (first.length === 1) return 'first'
  // Another moment than every one that can be given back, which are whole milliseconds.
  const again = await tx.query(
    'escrow_call_take_again',
    `update escrow_calls set given_at = date_trunc('milliseconds', given_at) + interval '1 microsecond'
     where network = $1 and call_key = $2 and given_key = $3 and given_fingerprint = $4 returning call_key`,
    [network, key, given?.key ?? null, fingerprint],
  )
  return again.length === 1 ? 'again' : undefined
}

/** Whether the account had another success under this key, for another body. */
export async function isKeyOfAnother(
  tx: Tx,
  accountId: AccountId,
  { key, fingerprint }: GivenKey,
): Promise<boolean> {
  const rows = await tx.query(
    'escrow_call_of_key',
    `select call_key from escrow_calls where account_id = $1 and given_key = $2 and given_fingerprint <> $3 limit 1`,
    [accountId, key, Buffer.from(fingerprint)],
  )
  return rows.length > 0
}

/** Gives it back: nobody heard of it who took it first, at that moment, and nobody has it again. */
export async function giveBackSuccess(
  tx: Tx,
  { network, key }: CallName,
  takenAtMilliseconds: number,
): Promise<void> {
  await tx.query(
    'escrow_call_give_back',
    `update escrow_calls set given_at = null, given_key = null, given_fingerprint = null
     where network = $1 and call_key = $2 and given_at = to_timestamp($3 / 1000.0)`,
    [network, key, takenAtMilliseconds],
  )
}
