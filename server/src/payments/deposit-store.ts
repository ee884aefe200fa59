import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { ForeignSettlement } from '../chains/exact.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Payment } from './payment.ts'

/** A received record as a transfer on chain can be recognised in it. */
export interface KnownReceipt {
  readonly id: PaymentId
  readonly transactionHash: TransactionHash
  readonly asset: string
  readonly sender: string
  readonly recipient: string
  readonly amount: bigint
  /** Of the block in which it was seen last; null while it is in none. */
  readonly blockHash: string | null
  /** Null on what a caller asked for: it follows its own way to its end. */
  readonly occurrence: number | null
}

/** The received records of transactions, what callers asked for first, then deposits in their order. */
export async function receiptsOf(
  tx: Tx,
  network: NetworkId,
  hashes: readonly TransactionHash[],
): Promise<readonly KnownReceipt[]> {
  const rows = await tx.query<{
    id: PaymentId
    transaction_hash: TransactionHash
    asset: string
    sender: string
    recipient: string
    amount: string
    block_hash: string | null
    occurrence: number | null
  }>(
    'deposits_receipts',
    `select id, transaction_hash, asset, sender, recipient, amount, block_hash, occurrence from payments
     where network = $1 and transaction_hash = any($2) and type = 'received'
     order by occurrence nulls first, id`,
    [network, hashes],
  )
  return rows.map((row) => ({
    id: row.id,
    transactionHash: row.transaction_hash,
    asset: row.asset,
    sender: row.sender,
    recipient: row.recipient,
    amount: BigInt(row.amount),
    blockHash: row.block_hash,
    occurrence: row.occurrence,
  }))
}

/** What trades of ours brought in, by transaction: whose wallet each belongs to. Their own records tell of it. */
export async function tradersOf(
  tx: Tx,
  network: NetworkId,
  hashes: readonly TransactionHash[],
): Promise<ReadonlyMap<TransactionHash, string>> {
  const rows = await tx.query<{ transaction_hash: TransactionHash; sender: string }>(
    'deposits_traders',
    `select transaction_hash, sender from payments
     where network = $1 and transaction_hash = any($2) and type = 'sent' and trade_id is not null`,
    [network, hashes],
  )
  return new Map(rows.map((row) => [row.transaction_hash, row.sender]))
}

/** A deposit where the follower last saw it. */
export interface SeenDeposit {
  readonly id: PaymentId
  readonly accountId: AccountId
  readonly status: 'confirmed' | 'settled'
  readonly transactionHash: TransactionHash
  readonly height: bigint
  readonly blockHash: string
  readonly effectIndex: number
}

interface SeenRow {
  readonly id: PaymentId
  readonly account_id: AccountId
  readonly status: 'confirmed' | 'settled'
  readonly transaction_hash: TransactionHash
  readonly block_height: string
  readonly block_hash: string
  readonly log_index: number
}

const SEEN = `id, account_id, status, transaction_hash, block_height, block_hash, log_index`

function seenOf(row: SeenRow): SeenDeposit {
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    transactionHash: row.transaction_hash,
    height: BigInt(row.block_height),
    blockHash: row.block_hash,
    effectIndex: row.log_index,
  }
}

/** The deposits seen in blocks above a height, settled ones among them. */
export async function depositsAbove(
  tx: Tx,
  network: NetworkId,
  height: bigint,
): Promise<readonly SeenDeposit[]> {
  const rows = await tx.query<SeenRow>(
    'deposits_above',
    `select ${SEEN} from payments
     where network = $1 and block_height > $2 and occurrence is not null and status = 'confirmed'
     union all
     select ${SEEN} from payments
     where network = $1 and block_height > $2 and occurrence is not null and status = 'settled'`,
    [network, height.toString()],
  )
  return rows.map(seenOf)
}

/** The records of claims of which a deposit `d` may be the payment: the same money, to the same wallet. */
// With an offset each deposit looks by its own terms, whatever was planned: there may be many more claims than deposits, or the other way round.
const MAY_BE_PAID_BY = `c.account_id = d.account_id and c.recipient = d.recipient and c.network = d.network and c.asset = d.asset
  and c.sender = d.sender and c.amount = d.amount and c.type = 'received' and c.occurrence is null and c.status = 'pending'
  and c.transaction_hash is null`

/** Confirmed deposits at or below a height that wait for no claim's word, the lowest first. */
export async function unsettledDeposits(
  tx: Tx,
  network: NetworkId,
  height: bigint,
  count: number,
  nowMilliseconds: number,
): Promise<readonly SeenDeposit[]> {
  const rows = await tx.query<SeenRow>(
    'deposits_unsettled',
    `select ${SEEN} from payments d
     where network = $1 and block_height <= $2 and occurrence is not null and status = 'confirmed'
       and (held_until <= to_timestamp($4 / 1000.0) or held_until > to_timestamp($5 / 1000.0) or not exists (select from payments c where ${MAY_BE_PAID_BY} offset 0))
     order by block_height, id limit $3`,
    [
      ...[network, height.toString(), count, nowMilliseconds],
      // Held before a clock was set back.
      nowMilliseconds + (limits.heldDepositSeconds + limits.clockAheadSeconds) * 1000,
    ],
  )
  return rows.map(seenOf)
}

/**
 * Has confirmed deposits at or below a height wait for the word on the claims that they may be the payments of: the records of those. A
 * bounded number of either; deposits that are left out wait without an end until their turn comes.
 */
export async function holdDeposits(
  tx: Tx,
  network: NetworkId,
  height: bigint,
  nowMilliseconds: number,
): Promise<readonly PaymentId[]> {
  const rows = await tx.query<{ id: PaymentId }>(
    'deposits_hold',
    `with held as (
       update payments set held_until = to_timestamp($3 / 1000.0) + $4 * interval '1 second'
       where id = any (array(
         select d.id from payments d
         where network = $1 and block_height <= $2 and occurrence is not null and status = 'confirmed'
           and held_until is null and exists (select from payments c where ${MAY_BE_PAID_BY} offset 0)
         order by block_height, d.id limit $5))
       returning account_id, recipient, network, asset, sender, amount
     ), terms as (select distinct account_id, recipient, network, asset, sender, amount from held)
     select awaited.id from terms d cross join lateral (
       select c.id from payments c where ${MAY_BE_PAID_BY} limit $5) as awaited limit $5`,
    [
      network,
      height.toString(),
      nowMilliseconds,
      limits.heldDepositSeconds,
      limits.depositsPerStatementMax,
    ],
  )
  return rows.map(({ id }) => id)
}

/** A deposit that no block shows now as one of its own. */
export interface MissingDeposit {
  readonly id: PaymentId
  readonly transactionHash: TransactionHash
  /** The record of a claim that has such a transfer of the same transaction; null when there is none. */
  readonly recordedAs: PaymentId | null
}

/** Deposits of these transactions that no block shows now: taken back by a reorg, or by a claim, and not seen with their transaction since. */
export async function missingDeposits(
  tx: Tx,
  network: NetworkId,
  hashes: readonly TransactionHash[],
): Promise<readonly MissingDeposit[]> {
  const rows = await tx.query<{
    id: PaymentId
    transaction_hash: TransactionHash
    recorded_as: PaymentId | null
  }>(
    'deposits_missing',
    // All claims of these transactions at once, since one transaction may hold many: each deposit finds its own among them by what moved.
    `with claims as materialized (
       select min(id) as recorded_as, transaction_hash, recipient, asset, sender, amount from payments
       where network = $1 and transaction_hash = any($2) and type = 'received' and occurrence is null
         and status in ('confirmed', 'settled')
       group by transaction_hash, recipient, asset, sender, amount)
     select id, transaction_hash, recorded_as
     from payments left join claims using (transaction_hash, recipient, asset, sender, amount)
     where network = $1 and transaction_hash = any($2) and type = 'received' and occurrence is not null
       and status = 'pending'`,
    [network, hashes],
  )
  return rows.map((row) => ({
    id: row.id,
    transactionHash: row.transaction_hash,
    recordedAs: row.recorded_as,
  }))
}

/** The deposit that is the same transfer as a claim's, in the same block, and still counts. */
export async function depositAt(
  tx: Tx,
  { id, network, asset, sender, recipient, amount }: Payment,
  { hash, blockHash, logIndex }: ForeignSettlement,
): Promise<PaymentId | undefined> {
  const rows = await tx.query<{ id: PaymentId }>(
    'deposit_at',
    `select id from payments
     where network = $1 and transaction_hash = $2 and block_hash = $3 and log_index = $4 and recipient = $5 and asset = $6
       and sender = $7 and amount = $8 and type = 'received' and occurrence is not null and status = 'confirmed' and id <> $9
     for no key update`,
    [network, hash, blockHash, logIndex, recipient, asset, sender, amount.toString(), id],
  )
  return rows[0]?.id
}

/** Makes a deposit the record of a claim: what blocks show of such transfers does not move it any more. */
export async function makeOwn(tx: Tx, paymentId: PaymentId): Promise<void> {
  await tx.query('deposit_own', `update payments set occurrence = null where id = $1`, [paymentId])
}

/** Notes the block in which the record of a claim stands for a transfer, so that this transfer has no other. */
export async function standIn(
  tx: Tx,
  records: readonly { readonly id: PaymentId; readonly blockHash: string }[],
): Promise<void> {
  if (records.length === 0) return
  await tx.query(
    'payments_stand_in',
    `update payments p set stands_in = s.block_hash from unnest($1::text[], $2::text[]) as s (id, block_hash)
     where p.id = s.id`,
    [records.map(({ id }) => id), records.map(({ blockHash }) => blockHash)],
  )
}

/**
 * Claims the effects of deposits that are settled. One that another record has claimed before is left to that one: two records of one
 * effect are for the doctor to name, and must not stop a follower.
 */
export async function claimDeposits(
  tx: Tx,
  network: NetworkId,
  deposits: readonly SeenDeposit[],
  nowMilliseconds: number,
): Promise<void> {
  if (deposits.length === 0) return
  await tx.query(
    'deposits_claim',
    `insert into effects (network, transaction_hash, effect_index, direction, payment_id, account_id, created_at)
     select $1, hash, effect_index, 'received', payment_id, account_id, to_timestamp($6 / 1000.0)
     from unnest($2::text[], $3::integer[], $4::text[], $5::text[]) as d (hash, effect_index, payment_id, account_id)
     on conflict (network, transaction_hash, effect_index, direction) do nothing`,
    [
      network,
      deposits.map(({ transactionHash }) => transactionHash),
      deposits.map(({ effectIndex }) => effectIndex),
      deposits.map(({ id }) => id),
      deposits.map(({ accountId }) => accountId),
      nowMilliseconds,
    ],
  )
}
