import { PAYMENT_STATUSES } from '@florin/wire/payment.ts'
import type { PaymentStatus } from '@florin/wire/payment.ts'
import type { AccountEvent } from './recent-events.ts'

/** What a seller's payment has come to, as its newest event tells it. */
export interface ShownSettlement {
  readonly paymentId: string
  readonly status: PaymentStatus
  readonly event: AccountEvent
}

/** Each payment once, the one that something happened to last first. `events`: the newest first, as several are told of one payment. */
export function settlementsShown(
  events: readonly AccountEvent[],
  countMax: number,
): readonly ShownSettlement[] {
  const shown = new Map<string, ShownSettlement>()
  for (const event of events) {
    const { paymentId, status: told } = event.data
    const status = PAYMENT_STATUSES.find((each) => each === told)
    if (event.type !== 'settlement' || typeof paymentId !== 'string' || status === undefined)
      continue
    if (!shown.has(paymentId)) shown.set(paymentId, { paymentId, status, event })
  }
  return [...shown.values()].slice(0, countMax)
}
