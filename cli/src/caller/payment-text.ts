import type { PaymentRecord } from '@florin/sdk'
import type { AssetNames } from './asset-names.ts'
import { nativeName } from './asset-names.ts'
import { factLines } from './visible.ts'

/** A payment's record for people. Its proof is a secret and is not in it. */
export function paymentText(payment: PaymentRecord, names: AssetNames): string {
  const { network, createdAt, failure, remark } = payment
  return factLines([
    ['payment', payment.paymentId],
    ['status', statusText(payment)],
    ['type', payment.type],
    ['amount', `${payment.amount} ${names(network, payment.asset)}`],
    ['from', payment.sender],
    ['to', payment.recipient],
    ['for', payment.resource ?? undefined],
    ['network', `${network}${payment.sandbox === true ? ' (sandbox)' : ''}`],
    ['transaction', payment.signature ?? undefined],
    ['block', payment.blockHeight?.toString()],
    ['fee', payment.fee === null ? undefined : `${payment.fee} ${nativeName(names, network)}`],
    ['created', new Date(createdAt).toISOString()],
    ['confirmed', after(createdAt, payment.confirmedAt)],
    ['settled', after(createdAt, payment.settledAt)],
    [payment.status, after(createdAt, payment.endedAt ?? null)],
    ['attempts', attemptsText(payment)],
    ['remark', remark === undefined ? undefined : `${remark.reason}: ${remark.message}`],
    ['failure', failure === undefined ? undefined : `${failure.reason}: ${failure.message}`],
    [
      'warning',
      payment.finalityViolated === true
        ? 'the chain took back what its policy called final; an operator is looking'
        : undefined,
    ],
  ])
}

function statusText({ status, confirmations, finality }: PaymentRecord): string {
  switch (status) {
    case 'confirmed':
      return `confirmed, ${confirmations} ${confirmations === 1 ? 'block' : 'blocks'}; settled by ${finality ?? 'an unknown policy'}`
    case 'pending':
      return 'pending: on its way, the outcome is not known yet'
    case 'failed':
      return 'failed: the money did not move and cannot move any more'
    case 'expired':
      return 'expired: it took no effect and no longer can'
    case 'settled':
      return 'settled: final'
    default:
      return status satisfies never
  }
}

function after(start: number, end: number | null): string | undefined {
  return end === null ? undefined : `after ${((end - start) / 1000).toFixed(1)} s`
}

/** Only when there is something to tell: one attempt that did what it should is the ordinary case. */
function attemptsText({ attempts, status }: PaymentRecord): string | undefined {
  const isOrdinary = attempts.length <= 1 && status !== 'failed'
  return isOrdinary ? undefined : attempts.map((each) => each.status).join(', ')
}
