import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash, Verdict } from '../chains/chain.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

/** Signed bytes that a caller wants us to send. */
export interface Submission {
  readonly network: NetworkId
  readonly hash: TransactionHash
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly raw: Uint8Array
  /** The allowance before the build, and not a form of the build itself. */
  readonly isApproval: boolean
}

/** The signed forms of a build, or of its allowance, that are stored; held against others until the transaction ends. */
export async function submittedForms(
  tx: Tx,
  paymentId: PaymentId,
  isApproval: boolean,
): Promise<readonly TransactionHash[]> {
  await tx.query('submission_lock', `select from builds where payment_id = $1 for no key update`, [
    paymentId,
  ])
  const rows = await tx.query<{ hash: TransactionHash }>(
    'submission_forms',
    `select hash from submissions where payment_id = $1 and is_approval = $2`,
    [paymentId, isApproval],
  )
  return rows.map((row) => row.hash)
}

/** As which build of each account these bytes were taken first, by `formName`. An allowance is no form of its build. */
export async function takenAs(
  tx: Tx,
  network: NetworkId,
  hashes: readonly TransactionHash[],
): Promise<ReadonlyMap<string, PaymentId>> {
  if (hashes.length === 0) return new Map()
  const rows = await tx.query<{
    hash: TransactionHash
    account_id: AccountId
    payment_id: PaymentId
  }>(
    'submissions_taken_as',
    `select distinct on (hash, account_id) hash, account_id, payment_id from submissions
     where network = $1 and hash = any($2) and not is_approval order by hash, account_id, created_at, payment_id`,
    [network, hashes],
  )
  return new Map(rows.map((row) => [formName(row.account_id, row.hash), row.payment_id]))
}

/** Bytes as one account gave them. */
export function formName(accountId: AccountId, hash: TransactionHash): string {
  return `${accountId} ${hash}`
}

/** Stores the bytes; the same ones are stored once for each build: several may need one allowance, of other accounts, too. */
export async function storeSubmission(
  tx: Tx,
  { network, hash, paymentId, accountId, raw, isApproval }: Submission,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'submission_store',
    `insert into submissions (network, hash, payment_id, account_id, raw, created_at, due_at, is_approval)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), to_timestamp($6 / 1000.0) + $7 * interval '1 second', $8)
     on conflict (network, hash, payment_id) do update set due_at = excluded.due_at, sends = 0`,
    [
      ...[network, hash, paymentId, accountId, Buffer.from(raw), nowMilliseconds],
      ...[FIRST_PAUSE_SECONDS, isApproval],
    ],
  )
}

/** Long enough for the request that brought the bytes to send them. */
const FIRST_PAUSE_SECONDS = 2

/**
 * Takes submitted bytes whose turn it is to be sent again; their next turn is noted with that, twice as late each time within `resendInTimeSecondsMax` while their
 * build's time is not over, and within `resendSecondsMax` after. Not those that a
 * block shows now, which a reorg may give back, and for the last time those of a build that is over. Of an allowance no block is looked
 * at: it is over, too, as soon as what it is for could not be made in time any more.
 */
export async function takeDue(
  tx: Tx,
  network: NetworkId,
  nowMilliseconds: number,
): Promise<readonly Pick<Submission, 'hash' | 'paymentId' | 'raw'>[]> {
  const rows = await tx.query<{
    hash: TransactionHash
    payment_id: PaymentId
    raw: Buffer
    sendable: boolean
  }>(
    'submissions_due',
    // The second range: noted before a clock was set back. Their rows are looked at again once they are locked.
    `with ranges as (
       (select hash, payment_id, due_at from submissions where network = $1 and due_at <= to_timestamp($2 / 1000.0)
        order by due_at limit $3)
       union all
       (select hash, payment_id, due_at from submissions where network = $1 and due_at > to_timestamp($6 / 1000.0)
        order by due_at limit $3)
     ), taken as (
       select s.hash, s.payment_id, b.seen_height is null and b.dead_height is null as lacks_block,
         b.closed_at is not null or (s.is_approval
           and b.expires_at + $5 * interval '1 second' <= to_timestamp($2 / 1000.0)) as is_over,
         case when b.expires_at > to_timestamp($2 / 1000.0) then least($4::float8, $7::float8) else $4::float8 end as pause_max
       from ranges r join submissions s on s.network = $1 and s.hash = r.hash and s.payment_id = r.payment_id
         join builds b on b.payment_id = s.payment_id
       where s.due_at <= to_timestamp($2 / 1000.0) or s.due_at > to_timestamp($6 / 1000.0)
       order by r.due_at, r.hash, r.payment_id limit $3 for no key update of s
     ), due as (
       select hash, payment_id, is_over, pause_max, lacks_block and not is_over as sendable from taken
     )
     update submissions s set
       sends = s.sends + case when due.sendable then 1 else 0 end,
       due_at = case when due.is_over then null
         else to_timestamp($2 / 1000.0) + least(due.pause_max, power(2, least(s.sends, 20))) * interval '1 second' end
     from due where s.network = $1 and s.hash = due.hash and s.payment_id = due.payment_id
     returning s.hash, s.payment_id, s.raw, due.sendable`,
    [
      ...[network, nowMilliseconds, limits.resentSubmissionsMax, limits.resendSecondsMax],
      limits.approvalResentSeconds,
      nowMilliseconds + (limits.resendSecondsMax + limits.clockAheadSeconds) * 1000,
      limits.resendInTimeSecondsMax,
    ],
  )
  return rows
    .filter(({ sendable }) => sendable)
    .map(({ hash, payment_id: paymentId, raw }) => ({ hash, paymentId, raw: new Uint8Array(raw) }))
}

/** Has what was submitted of builds sent again at once, and as often as what is new: the blocks that held it are gone. */
export async function sendSoon(
  tx: Tx,
  paymentIds: readonly PaymentId[],
  nowMilliseconds: number,
): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'submissions_soon',
    `update submissions set due_at = to_timestamp($2 / 1000.0), sends = 0 where payment_id = any($1) and due_at is not null`,
    [paymentIds, nowMilliseconds],
  )
}

/** Nobody wants it sent any more. */
export async function stopSending(tx: Tx, paymentId: PaymentId): Promise<void> {
  await tx.query(
    'submissions_stop',
    'update submissions set due_at = null where payment_id = $1 and due_at is not null',
    [paymentId],
  )
}

/** Notes what the nodes said of the bytes. */
export async function noteVerdict(
  tx: Tx,
  { network, hash, paymentId }: Pick<Submission, 'network' | 'hash' | 'paymentId'>,
  verdict: Verdict,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'submission_verdict',
    `update submissions set last_sent_at = to_timestamp($3 / 1000.0), last_verdict = $4
     where network = $1 and hash = $2 and payment_id = $5`,
    [network, hash, nowMilliseconds, verdict.kind, paymentId],
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
    `select payment_id, hash from submissions where network = $1 and payment_id = any($2) and not is_approval`,
    [network, paymentIds],
  )
  return rows.map((row) => ({ paymentId: row.payment_id, hash: row.hash }))
}
