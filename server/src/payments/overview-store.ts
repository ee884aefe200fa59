import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { READY_AFTER } from './hours-store.ts'
import { latencyBounds } from './latency-bounds.ts'
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
  readonly payments: number
  readonly amount: bigint
}

/** How long payments of one stretch took to be confirmed, plain deposits left out. */
export interface PaymentLatencies {
  readonly bucket: number
  /** By bin: 0 is below the first of latencyBounds, n between the n-th, counted from 1, and the next. */
  readonly payments: ReadonlyMap<number, number>
}

export interface PaymentFigures {
  readonly groups: readonly PaymentGroup[]
  /** Any number per stretch: they add up. */
  readonly latencies: readonly PaymentLatencies[]
}

/**
 * Figures of an account's payments from a moment on, a full hour, by stretches of full hours. Hours that were summed up are taken from
 * their sums; the last two or three, and those that changed since, from the payments, 1 to 3 µs for each. By shorter stretches, from
 * any moment on, all are taken from the payments. One statement, and so of one moment: a payment that changes meanwhile is as it was in
 * all of it, or as it is.
 */
export async function paymentFigures(
  tx: Tx,
  accountId: AccountId,
  stretches: { readonly fromMilliseconds: number; readonly lengthMilliseconds: number },
): Promise<PaymentFigures> {
  const { fromMilliseconds, lengthMilliseconds } = stretches
  const rows = await tx.query<Row>(
    'payments_figures',
    // Times are worked out apart: behind a wall an index takes no arithmetic.
    `with kept as materialized (
       select greatest(least(since, ready), $2) as since, greatest(least(until, ready), $2) as until
       -- Sums of hours that are not ready are of a clock that was set back.
       from payment_hours_kept, date_bin('1 hour', now() - $5::interval, 'epoch') as ready where account_id = $1
         -- A sum is of a full hour, and says nothing of a part of it.
         and $3::bigint >= 3600000
     ), late as materialized (
       select distinct hour, hour + interval '1 hour' as ends from kept, payment_hours_late
       where account_id = $1 and hour >= since and hour < until
     ), unsummed as materialized (
       select hour as starts, ends from late
       union all select $2, since from kept
       union all select until, 'infinity' from kept
       union all select $2, 'infinity' where not exists (select from kept)
     ), fresh as materialized (
       select date_bin($3::bigint * interval '1 millisecond', created_at, $2) as at, network, asset, decimals, type, status,
         case when occurrence is null then width_bucket(confirmed_at - created_at, $4::interval[]) end as bin,
         count(*) as payments, sum(amount) as amount
       from unsummed join payments on account_id = $1 and created_at >= starts and created_at < ends
       group by 1, 2, 3, 4, 5, 6, 7
     )
     select at, network, asset, decimals, type, status, sum(payments) as payments, sum(amount) as amount,
       null as latencies
     from (
       select date_bin($3::bigint * interval '1 millisecond', hour, $2) as at, network, asset, decimals, type, status,
         payments, amount
       from payment_hours where account_id = $1 and hour >= (select since from kept)
         and hour < (select until from kept) and hour not in (select hour from late)
       union all
       select at, network, asset, decimals, type, status, payments, amount from fresh
     ) sums
     group by at, network, asset, decimals, type, status
     union all
     select date_bin($3::bigint * interval '1 millisecond', hour, $2), null, null, null, null, null, null, null,
       payments::text
     from payment_hour_latencies where account_id = $1 and hour >= (select since from kept)
       and hour < (select until from kept) and hour not in (select hour from late)
     union all
     select at, null, null, null, null, null, null, null, json_object_agg(bin, payments)::text
     from (select at, bin, sum(payments) as payments from fresh where bin is not null group by at, bin) binned
     group by at`,
    [
      accountId,
      new Date(fromMilliseconds),
      lengthMilliseconds,
      latencyBounds.map((milliseconds) => `${milliseconds} milliseconds`),
      READY_AFTER,
    ],
  )
  const bucketOf = ({ at }: Row) =>
    Math.round((at.getTime() - fromMilliseconds) / lengthMilliseconds)
  return {
    groups: rows.flatMap((row) =>
      row.latencies === null ? [{ ...groupOf(row), bucket: bucketOf(row) }] : [],
    ),
    latencies: rows.flatMap((row) =>
      row.latencies === null ? [] : [{ bucket: bucketOf(row), payments: binsOf(row.latencies) }],
    ),
  }
}

interface Sums {
  readonly at: Date
  readonly network: string
  readonly asset: string
  readonly decimals: number
  readonly type: 'sent' | 'received'
  readonly status: PaymentStatus
  readonly payments: string
  readonly amount: string
  readonly latencies: null
}
type Row = Sums | { readonly at: Date; readonly latencies: string }

function groupOf({ network, asset, decimals, type, status, payments, amount }: Sums) {
  const counted = { payments: Number(payments), amount: BigInt(amount) }
  return { network, asset, decimals, type, status, ...counted }
}

function binsOf(text: string): ReadonlyMap<number, number> {
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed !== 'object' || parsed === null)
    throw new Error('kept latencies are not readable')
  const entries: readonly (readonly [string, unknown])[] = Object.entries(parsed)
  return new Map(entries.map(([bin, payments]) => [Number(bin), Number(payments)]))
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
