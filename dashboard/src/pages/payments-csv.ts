import type { Api } from '../api/api.ts'
import type { Answer } from '../api/operation.ts'
import { csvText } from '../format/csv.ts'
import type { PaymentsAsked } from './payments-asked.ts'

type Payment = Answer<'GET /payments'>['payments'][number]

const PAGE_PAYMENTS = 500
/** Payments in one file: what spreadsheets still open, and a page still holds. */
export const CSV_PAYMENTS_MAX = 100_000

const HEADERS = [
  ...['paymentId', 'createdAt', 'type', 'status', 'amount', 'asset', 'amountBaseUnits'],
  ...['assetId', 'network', 'sender', 'recipient', 'signature', 'fee', 'resource'],
  ...['confirmedAt', 'settledAt', 'failure', 'endedAt'],
]

const time = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** Payments as a file; amounts are the very digits of the API. */
export function paymentsCsv(
  payments: readonly Payment[],
  symbol: (network: string, asset: string) => string,
): string {
  return csvText([
    HEADERS,
    ...payments.map((payment) => [
      ...[payment.paymentId, time(payment.createdAt), payment.type, payment.status],
      ...[payment.amount, symbol(payment.network, payment.asset), payment.amountBaseUnits],
      ...[payment.asset, payment.network, payment.sender, payment.recipient, payment.signature],
      ...[payment.fee, payment.resource, time(payment.confirmedAt), time(payment.settledAt)],
      ...[payment.failure?.reason ?? null, time(payment.endedAt ?? null)],
    ]),
  ])
}

/** Every payment that was asked for, page after page, up to the most that a file has. */
export async function allPayments(api: Api, asked: PaymentsAsked): Promise<readonly Payment[]> {
  const found: Payment[] = []
  let cursor: string | undefined
  do {
    const page = await api.call('GET /payments', {
      query: { ...asked, limit: PAGE_PAYMENTS, cursor },
    })
    found.push(...page.payments)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && found.length < CSV_PAYMENTS_MAX)
  return found.slice(0, CSV_PAYMENTS_MAX)
}
