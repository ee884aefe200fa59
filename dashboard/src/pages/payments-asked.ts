import { HISTORY_TYPES } from '@florin/wire/history.ts'
import { PAYMENT_STATUSES } from '@florin/wire/payment.ts'
import type { Input } from '../api/operation.ts'
import type { Filters } from '../app/use-filters.ts'
import { startOfDay } from '../format/day-text.ts'

export type PaymentsAsked = NonNullable<Input<'GET /payments'>['query']>

/** What the filters of the page ask the list for. */
export function paymentsAsked({ get }: Pick<Filters, 'get'>): PaymentsAsked {
  const from = startOfDay(get('from'))
  // A day that is chosen belongs to the range.
  const to = startOfDay(get('to'), 1)
  const text = (name: string) => (get(name) === '' ? undefined : get(name))
  return {
    type: HISTORY_TYPES.find((each) => each === get('type')),
    status: PAYMENT_STATUSES.find((each) => each === get('status')),
    walletAddress: text('wallet'),
    asset: text('asset'),
    search: text('search'),
    from,
    to,
  }
}
