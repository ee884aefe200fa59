import type { AccountId, PaymentId } from '../kernel/id.ts'
import {
  attemptsOf,
  attemptViews,
  followedHeightOf,
  isUnderWay,
  mayStillPay,
} from '../sender/standing-sql.ts'
import type { AttemptJson } from '../sender/standing-sql.ts'
import type { AttemptView } from '../sender/transaction-store.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Payment } from './payment.ts'
import { PAYMENT_COLUMNS, paymentOf } from './store.ts'
import type { PaymentRow } from './store.ts'

/** A payment with everything that its record shows, as of one moment. */
export interface StandingPayment {
  readonly payment: Payment
  /** Oldest first. */
  readonly attempts: readonly AttemptView[]
  /** How far its network has been read; null before the first block. */
  readonly followedHeight: bigint | null
}

/** Which payment, and whose it must be. */
export interface AskedPayment {
  readonly accountId: AccountId
  readonly paymentId: PaymentId
}

/**
 * Payments with their standing, in the order of what was asked; undefined where the account has no such payment. The read that
 * callers repeat most, so it is one statement for any number of them.
 */
export async function findStandings(
  store: Pick<Store, 'query'>,
  asked: readonly AskedPayment[],
): Promise<readonly (StandingPayment | undefined)[]> {
  const rows = await store.query<
    PaymentRow & { attempts: readonly AttemptJson[] | null; followed_height: string | null }
  >(
    'payment_standings',
    `select ${PAYMENT_COLUMNS}, (${attemptsOf('p.id')}) as attempts,
       (${followedHeightOf('p.network')}) as followed_height
     from unnest($1::text[], $2::text[]) as asked (asked_account, asked_id)
     join payments p on p.id = asked_id and p.account_id = asked_account`,
    [asked.map(({ accountId }) => accountId), asked.map(({ paymentId }) => paymentId)],
  )
  const found = new Map(
    rows.map((row) => [
      row.id,
      {
        payment: paymentOf(row),
        attempts: attemptViews(row.attempts),
        followedHeight: row.followed_height === null ? null : BigInt(row.followed_height),
      },
    ]),
  )
  // Somebody else's payment may be among them, asked for by its owner at the same moment.
  return asked.map(({ accountId, paymentId }) => {
    const standing = found.get(paymentId)
    return standing?.payment.accountId === accountId ? standing : undefined
  })
}

/** For each payment whether it is pending with a transaction of ours that is in no block yet: then nothing has come of it so far. */
export async function areUnderWay(
  store: Pick<Store, 'query'>,
  paymentIds: readonly PaymentId[],
): Promise<readonly boolean[]> {
  const rows = await store.query<{ id: PaymentId }>(
    'payments_under_way',
    `select id from payments p where id = any($1) and status = 'pending' and ${isUnderWay('p.id')}`,
    [paymentIds],
  )
  const found = new Set(rows.map(({ id }) => id))
  return paymentIds.map((id) => found.has(id))
}

/** Which of these payments have come to their end, and which one of ours still decides. In neither: nothing of ours decides it. */
export async function decidedByOurs(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<{ readonly over: ReadonlySet<PaymentId>; readonly underWay: ReadonlySet<PaymentId> }> {
  const rows = await tx.query<{ id: PaymentId; is_over: boolean; under_way: boolean }>(
    'payments_decided',
    `select id, status in ('settled', 'failed', 'expired') as is_over, ${mayStillPay('p.id')} as under_way
     from payments p where id = any($1)`,
    [paymentIds],
  )
  const idsOf = (belongs: (row: (typeof rows)[number]) => boolean) =>
    new Set(rows.filter(belongs).map(({ id }) => id))
  return {
    over: idsOf((row) => row.is_over),
    underWay: idsOf((row) => !row.is_over && row.under_way),
  }
}
