import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash, Verdict } from '../chains/chain.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** Signed bytes that a caller wants us to send. */
export interface Submission {
  readonly network: NetworkId
  readonly hash: TransactionHash
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly raw: Uint8Array
}

/** The signed forms of a build that are stored; held against others until the transaction ends. */
export async function submittedForms(
  tx: Tx,
  paymentId: PaymentId,
): Promise<readonly TransactionHash[]> {
  await tx.query('submission_lock', `select from builds where payment_id = $1 for no key update`, [
    paymentId,
  ])
  const rows = await tx.query<{ hash: TransactionHash }>(
    'submission_forms',
    `select hash from submissions where payment_id = $1`,
    [paymentId],
  )
  return rows.map((row) => row.hash)
}

/** Stores the bytes; the same ones are stored once. */
export async function storeSubmission(
  tx: Tx,
  { network, hash, paymentId, accountId, raw }: Submission,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'submission_store',
    `insert into submissions (network, hash, payment_id, account_id, raw, created_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0)) on conflict (network, hash) do nothing`,
    [network, hash, paymentId, accountId, Buffer.from(raw), nowMilliseconds],
  )
}

/** Notes what the nodes said of the bytes. */
export async function noteVerdict(
  tx: Tx,
  { network, hash }: Pick<Submission, 'network' | 'hash'>,
  verdict: Verdict,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'submission_verdict',
    `update submissions set last_sent_at = to_timestamp($3 / 1000.0), last_verdict = $4
     where network = $1 and hash = $2`,
    [network, hash, nowMilliseconds, verdict.kind],
  )
}

/** What callers gave us to send of the given payments. */
export async function silentHashes(
  tx: Tx,
  network: NetworkId,
  paymentIds: readonly PaymentId[],
): Promise<readonly { readonly paymentId: PaymentId; readonly hash: TransactionHash }[]> {
  if (paymentIds.length === 0) return []
  const rows = await tx.query<{ payment_id: PaymentId; hash: TransactionHash }>(
    'submission_hashes',
    `select payment_id, hash from submissions where network = $1 and payment_id = any($2)`,
    [network, paymentIds],
  )
  return rows.map((row) => ({ paymentId: row.payment_id, hash: row.hash }))
}
