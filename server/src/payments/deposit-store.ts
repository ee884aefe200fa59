import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** A received record as a transfer on chain can be recognised in it. */
export interface KnownReceipt {
  readonly id: PaymentId
  readonly transactionHash: TransactionHash
  readonly asset: string
  readonly sender: string
  readonly recipient: string
  readonly amount: bigint
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
    occurrence: number | null
  }>(
    'deposits_receipts',
    `select id, transaction_hash, asset, sender, recipient, amount, occurrence from payments
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

/** Confirmed deposits at or below a height, the lowest first. */
export async function unsettledDeposits(
  tx: Tx,
  network: NetworkId,
  height: bigint,
  count: number,
): Promise<readonly SeenDeposit[]> {
  const rows = await tx.query<SeenRow>(
    'deposits_unsettled',
    `select ${SEEN} from payments
     where network = $1 and block_height <= $2 and occurrence is not null and status = 'confirmed'
     order by block_height, id limit $3`,
    [network, height.toString(), count],
  )
  return rows.map(seenOf)
}

/** Deposits of these transactions that no block shows now: taken back by a reorg, and not seen with their transaction since. */
export async function missingDeposits(
  tx: Tx,
  network: NetworkId,
  hashes: readonly TransactionHash[],
): Promise<readonly Pick<SeenDeposit, 'id' | 'transactionHash'>[]> {
  const rows = await tx.query<Pick<SeenRow, 'id' | 'transaction_hash'>>(
    'deposits_missing',
    `select id, transaction_hash from payments
     where network = $1 and transaction_hash = any($2) and type = 'received' and occurrence is not null
       and status = 'pending'`,
    [network, hashes],
  )
  return rows.map((row) => ({ id: row.id, transactionHash: row.transaction_hash }))
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
