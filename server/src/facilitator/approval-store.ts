import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

/** A payer's approval of Permit2, and what the payer is given for it. */
export interface StoredApproval {
  readonly network: NetworkId
  readonly hash: TransactionHash
  readonly payer: Address
  readonly asset: string
  readonly nonce: bigint
  /** As the payer signed it. */
  readonly raw: Uint8Array
  /** Native base units; 0 where the payer had enough. */
  readonly amount: bigint
  /** The payment that gave it; null while there is none. */
  readonly funding: { readonly paymentId: PaymentId; readonly accountId: AccountId } | null
}

interface ApprovalRow {
  readonly hash: TransactionHash
  readonly payer: Address
  readonly asset: string
  readonly nonce: string
  readonly raw: Buffer
  readonly amount: string
  readonly payment_id: PaymentId | null
  readonly sponsor_account_id: AccountId | null
}

/**
 * Stores an approval before a node hears of it. False where it is there, and where its payer is given something for another one, today for this
 * token or on whatever day for this nonce: that waits for whoever is storing it at this moment. One of which nothing is given is stored anew
 * where its payer lacks something only now, and where it was promised on another day: it counts on the day on which it is given.
 */
export async function storeApproval(
  tx: Tx,
  { network, hash, payer, asset, nonce, raw, amount }: StoredApproval,
  nowMilliseconds: number,
): Promise<boolean> {
  if (amount > 0n) {
    await tx.query(
      'approval_renew',
      `delete from sponsored_approvals where network = $1 and payment_id is null
         and (hash = $2 and amount = 0
           or (hash = $2 or payer = $4 and nonce = $5 and amount > 0 and holds_nonce)
             and day <> (to_timestamp($3 / 1000.0) at time zone 'UTC')::date)`,
      [network, hash, nowMilliseconds, payer, nonce.toString()],
    )
  }
  const rows = await tx.query(
    'approval_store',
    `insert into sponsored_approvals (network, hash, payer, asset, nonce, raw, amount, day, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, (to_timestamp($8 / 1000.0) at time zone 'UTC')::date, to_timestamp($8 / 1000.0))
     on conflict do nothing
     returning hash`,
    [
      ...[network, hash, payer, asset, nonce.toString(), Buffer.from(raw), amount.toString()],
      nowMilliseconds,
    ],
  )
  return rows.length === 1
}

/** Whether a node may have an approval: nobody sends one whose payer was promised something and has not been given it. */
export async function mayBeBroadcast(
  tx: Tx,
  { network, hash }: Pick<StoredApproval, 'network' | 'hash'>,
): Promise<boolean> {
  const rows = await tx.query(
    'approval_may_be_out',
    `select hash from sponsored_approvals where network = $1 and hash = $2 and (amount = 0 or payment_id is not null)`,
    [network, hash],
  )
  return rows.length > 0
}

/**
 * The approval for which a payer is given something today, or was on whatever day: this very one, else the one of its nonce, for whichever token,
 * else that of today for the same token.
 */
export async function fundedApproval(
  tx: Tx,
  {
    network,
    hash,
    payer,
    asset,
    nonce,
  }: Pick<StoredApproval, 'network' | 'hash' | 'payer' | 'asset' | 'nonce'>,
  nowMilliseconds: number,
): Promise<StoredApproval | undefined> {
  const rows = await tx.query<ApprovalRow>(
    'approval_funded',
    `select hash, payer, asset, nonce, raw, amount, payment_id, sponsor_account_id from sponsored_approvals
     where network = $1 and amount > 0 and (hash = $2 and payment_id is not null
       or hash = $2 and day = (to_timestamp($5 / 1000.0) at time zone 'UTC')::date
       or payer = $3 and nonce = $6 and holds_nonce
         and (payment_id is not null or day = (to_timestamp($5 / 1000.0) at time zone 'UTC')::date)
       or payer = $3 and asset = $4 and day = (to_timestamp($5 / 1000.0) at time zone 'UTC')::date)
     order by hash = $2 desc, nonce = $6 and holds_nonce desc limit 1`,
    [network, hash, payer, asset, nowMilliseconds, nonce.toString()],
  )
  const [row] = rows
  if (row === undefined) return undefined
  const { payment_id: paymentId, sponsor_account_id: accountId } = row
  return {
    ...{ network, hash: row.hash, payer: row.payer, asset: row.asset },
    ...{ nonce: BigInt(row.nonce), raw: new Uint8Array(row.raw), amount: BigInt(row.amount) },
    funding: paymentId === null || accountId === null ? null : { paymentId, accountId },
  }
}

/** Another payment gives a payer the money already, or another day's promise took the place of this one. */
export class FundedBefore extends Error {
  override readonly name = 'FundedBefore'
}

/**
 * Notes, in the transaction that stores it, the payment that gives a payer the money. Throws FundedBefore where another one did, so that nothing
 * is given twice, and where what is stored is not what is given.
 */
export async function noteFunding(
  tx: Tx,
  { network, hash, amount }: Pick<StoredApproval, 'network' | 'hash' | 'amount'>,
  { paymentId, accountId }: NonNullable<StoredApproval['funding']>,
): Promise<void> {
  const rows = await tx.query(
    'approval_note_funding',
    `update sponsored_approvals set payment_id = $3, sponsor_account_id = $4
     where network = $1 and hash = $2 and amount = $5 and amount > 0 and payment_id is null
     returning hash`,
    [network, hash, paymentId, accountId, amount.toString()],
  )
  if (rows.length !== 1) throw new FundedBefore('an approval was paid for before')
}

/**
 * Lets another approval of the same nonce be given something: the payment of this one gave nothing, or the payer has the money, cannot have spent
 * it without the nonce, and lacks more for the other one. Nothing is released for the same token on the same day. True when it was.
 */
export async function releaseNonce(
  tx: Tx,
  { network, hash }: Pick<StoredApproval, 'network' | 'hash'>,
  { asset }: Pick<StoredApproval, 'asset'>,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'approval_release',
    `update sponsored_approvals set holds_nonce = false
     where network = $1 and hash = $2 and payment_id is not null and holds_nonce
       and (asset <> $3 or day <> (to_timestamp($4 / 1000.0) at time zone 'UTC')::date)
     returning hash`,
    [network, hash, asset, nowMilliseconds],
  )
  return rows.length === 1
}

const FORGOTTEN_PER_STATEMENT_MAX = 10_000

/**
 * Forgets approvals past their days for which nobody was given anything, the oldest first, so many at a time. Shown again they are stored again.
 * Says whether more may wait.
 */
export async function forgetApprovals(
  tx: Tx,
  nowMilliseconds: number,
  max = FORGOTTEN_PER_STATEMENT_MAX,
): Promise<boolean> {
  const removed = await tx.query(
    'approval_forget',
    `delete from sponsored_approvals where ctid = any(array(
       select ctid from sponsored_approvals
       where payment_id is null and created_at < to_timestamp($1 / 1000.0) - $2 * interval '1 day'
       order by created_at limit $3))
     returning 1`,
    [nowMilliseconds, limits.approvalKeptDays, max],
  )
  return removed.length >= max
}

/** The payments that gave something for approvals past their days, the oldest first. */
export async function paymentsOfOldApprovals(
  tx: Tx,
  nowMilliseconds: number,
  max: number,
): Promise<readonly PaymentId[]> {
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'approvals_given_before',
    `select payment_id from sponsored_approvals
     where payment_id is not null and created_at < to_timestamp($1 / 1000.0) - $2 * interval '1 day'
     order by created_at limit $3`,
    [nowMilliseconds, limits.approvalGivenKeptDays, max],
  )
  return rows.map(({ payment_id: id }) => id)
}

/** Forgets the approvals that these payments gave something for. */
export async function forgetApprovalsOf(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void> {
  await tx.query(
    'approvals_given_forget',
    'delete from sponsored_approvals where payment_id = any($1)',
    [paymentIds],
  )
}
