import type { Answer } from '../api/operation.ts'
import type { Moment } from '../parts/timeline.tsx'

type Payment = Answer<'GET /payment/status/{paymentId}'>

/** What happened to a payment, and what is still to come. */
export function momentsOf(payment: Payment): readonly Moment[] {
  const { type, status, createdAt, confirmedAt, settledAt, failure, attempts, selfCustody } =
    payment
  const moments: Moment[] = [
    {
      ...{ key: 'created', at: createdAt, tone: 'brand' },
      title: type === 'sent' ? 'Stored' : 'Seen for the first time',
    },
  ]
  const sentAt = attempts.find((each) => each.sentAt !== null)?.sentAt ?? null
  if (attempts.length > 0) {
    moments.push({
      ...{ key: 'sent', at: sentAt, tone: sentAt === null ? 'neutral' : 'brand' },
      isAhead: sentAt === null,
      title: sentAt === null ? 'Not sent yet' : 'Sent to the network',
    })
  }
  if (confirmedAt !== null || status === 'pending') {
    moments.push({
      ...{ key: 'confirmed', at: confirmedAt, tone: confirmedAt === null ? 'neutral' : 'info' },
      isAhead: confirmedAt === null,
      title: confirmedAt === null ? 'Waiting to be seen on chain' : 'Confirmed on chain',
      // Who waits long is tempted to order it again.
      ...(confirmedAt === null && type === 'sent' && !selfCustody
        ? {
            children:
              'The service sends it until a block shows it. A second order would be a second payment.',
          }
        : {}),
    })
  }
  if (status === 'failed' || status === 'expired') {
    moments.push({
      // Of what expired under an earlier release it was not noted.
      ...{
        key: 'ended',
        at: payment.endedAt ?? null,
        tone: status === 'failed' ? 'bad' : 'neutral',
      },
      title: status === 'failed' ? 'Failed: the money did not move' : 'Expired: it was never used',
      children: failure?.message,
    })
  } else {
    moments.push({
      ...{ key: 'settled', at: settledAt, tone: settledAt === null ? 'neutral' : 'good' },
      isAhead: settledAt === null,
      title: settledAt === null ? 'Not final yet' : 'Settled: final under the policy',
    })
  }
  return moments
}
