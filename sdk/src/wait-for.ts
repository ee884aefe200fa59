import type { CallOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { PaymentStatusAnswer } from './contract/payment-status.ts'
import { FlorinError } from './florin-error.ts'
import { limits } from './limits.ts'

/** What is looked at while it comes further: a payment, or what one carries. */
export type Followed = Pick<PaymentStatusAnswer, 'paymentId' | 'status' | 'failure'>

export interface WaitOptions<Seen extends Followed = PaymentStatusAnswer> extends CallOptions {
  /** How far the payment should have come; `settled` unless given. */
  readonly until?: 'confirmed' | 'settled' | undefined
  /** How long to look at it; 300 unless given. */
  readonly timeoutSeconds?: number | undefined
  /** Called with each record that was read, the first and the last included. */
  readonly onLook?: ((payment: Seen) => void) | undefined
}

/** Looks again and again, at growing intervals, until the payment has come so far. */
export async function waitFor<Seen extends Followed>(
  { clock, random }: Connection,
  look: () => Promise<Seen>,
  options: WaitOptions<Seen> = {},
): Promise<Seen> {
  const { until = 'settled', timeoutSeconds = limits.waitSeconds, onLook, signal } = options
  const deadline = clock.now() + timeoutSeconds * 1000
  for (let looks = 0; ; looks += 1) {
    const payment = await look()
    onLook?.(payment)
    const { status } = payment
    if (status === 'settled' || status === until) return payment
    if (status === 'failed' || status === 'expired') throw ended(payment)
    const doubled = limits.lookFirstMilliseconds * 2 ** Math.min(looks, 10)
    const most = Math.min(doubled, limits.lookMaxMilliseconds)
    const milliseconds = Math.min(most / 2 + (most / 2) * random(), deadline - clock.now())
    if (milliseconds <= 0) throw stillOpen(payment, timeoutSeconds)
    await clock.sleep(Math.ceil(milliseconds), signal)
  }
}

function ended({ paymentId, status, failure }: Followed): FlorinError {
  const reason = failure === undefined ? '' : `: ${failure.message}`
  return new FlorinError({
    code: 'PAYMENT_ENDED',
    message: `the payment ${status}${reason}`,
    details: { paymentId, status, ...(failure === undefined ? {} : { reason: failure.reason }) },
  })
}

function stillOpen({ paymentId, status }: Followed, seconds: number): FlorinError {
  const message = `after ${seconds} s the payment is still ${status}; it goes on by itself`
  return new FlorinError({ code: 'WAIT_OVER', message, details: { paymentId, status } })
}
