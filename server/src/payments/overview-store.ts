import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { PaymentStatus } from './payment.ts'

/** Payments of an account that were created in one stretch of time and are alike in everything else that is said here. */
export interface PaymentGroup {
  /** Which stretch, from 0. */
  readonly bucket: number
  readonly network: string
  readonly asset: string
  readonly decimals: number
  readonly type: 'sent' | 'received'
  readonly status: PaymentStatus
  /** Between which bounds the time to their confirmation lies; null when not confirmed, and for plain deposits. */
  readonly latencyBin: number | null
  readonly payments: number
  readonly amount: bigint
}

/**
 * Groups of an account's payments from a moment on, by stretches of a length. One scan of the account's index over that time: about
 * 1 to 2 µs per payment in it, however many there are besides.
 */
export async function paymentGroups(
  tx: Tx,
  accountId: AccountId,
  stretches: {
    readonly fromMilliseconds: number
    readonly lengthMilliseconds: number
    /** Ascending bounds; `latencyBin` n: at least the n-th of them, counted from 1, and less than the next. */
    readonly latencyBounds: readonly number[]
  },
): Promise<readonly PaymentGroup[]> {
  const { fromMilliseconds, lengthMilliseconds, latencyBounds } = stretches
  const rows = await tx.query<{
    at: Date
    network: string
    asset: string
    decimals: number
    type: 'sent' | 'received'
    status: PaymentStatus
    latency_bin: number | null
    payments: string
    amount: string
  }>(
    'payments_groups',
    `select at, network, asset, decimals, type, status, latency_bin, count(*) as payments, sum(amount) as amount
     from (
       select date_bin($3::bigint * interval '1 millisecond', created_at, $2) as at,
         network, asset, decimals, type, status, amount,
         case when occurrence is null then width_bucket(confirmed_at - created_at, $4::interval[]) end as latency_bin
       from payments where account_id = $1 and created_at >= $2
     ) read
     group by at, network, asset, decimals, type, status, latency_bin`,
    [
      accountId,
      new Date(fromMilliseconds),
      lengthMilliseconds,
      latencyBounds.map((milliseconds) => `${milliseconds} milliseconds`),
    ],
  )
  return rows.map(({ at, latency_bin: latencyBin, payments, amount, ...row }) => ({
    ...row,
    bucket: Math.round((at.getTime() - fromMilliseconds) / lengthMilliseconds),
    latencyBin,
    payments: Number(payments),
    amount: BigInt(amount),
  }))
}

/** Payments of an account that wait for the chain longer than they should. */
export interface Overdue {
  readonly count: number
  readonly oldest: PaymentId
  readonly sinceMilliseconds: number
}

/**
 * Pending payments that were created before a moment, `countMax` at most; undefined when there is none. What others sign may wait as
 * long as its wallet likes and is not among them. Reads what is not settled only.
 */
export async function overduePayments(
  tx: Tx,
  accountId: AccountId,
  beforeMilliseconds: number,
  countMax: number,
): Promise<Overdue | undefined> {
  const scan = (type: 'sent' | 'received') =>
    `(select id, created_at from payments where account_id = $1 and type = '${type}' and status = 'pending'
       and status <> 'settled' and not self_custody and created_at < $2 limit $3)`
  const rows = await tx.query<{ count: string; oldest: PaymentId | null; since: Date | null }>(
    'payments_overdue',
    `select count(*) as count, (array_agg(id order by created_at, id))[1] as oldest, min(created_at) as since
     from (${scan('sent')} union all ${scan('received')} limit $3) overdue`,
    [accountId, new Date(beforeMilliseconds), countMax],
  )
  const [row] = rows
  if (row === undefined || row.oldest === null || row.since === null) return undefined
  return {
    count: Number(row.count),
    oldest: row.oldest,
    sinceMilliseconds: row.since.getTime(),
  }
}
