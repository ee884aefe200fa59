import { limits } from '../limits.ts'
import type { Admitted } from './admission.ts'
import { NO_STORE } from './answer-headers.ts'
import { deliveriesInMemory } from './deliveries.ts'
import { encodeHeader } from './header-json.ts'
import { isNothing } from './price.ts'
import type { Paid, PaywallSettings } from './price.ts'
import { tellProblem } from './tell-problem.ts'

/** A payment that was taken, and what its buyer is told of it. */
export interface Taken {
  readonly paid: Paid
  readonly response: object
  /**
   * `now`: the service has just given out its one success. `perhaps`: it was given out to a try whose answer was lost, or to
   * somebody else. `before`: to somebody else, or long ago.
   */
  readonly taken: 'now' | 'perhaps' | 'before'
}

/** Whether the answer for a payment may go out now. */
export type HandedOver =
  | { readonly kind: 'admitted'; readonly admitted: Admitted }
  /** It is going out elsewhere, has gone out, or has failed too often. */
  | { readonly kind: 'used' }
  /** The deliveries could not be asked. */
  | { readonly kind: 'unrecorded' }

/**
 * One payment, one answer, over all who share the deliveries; and the seller hears of each payment once, and of each answer
 * that has reached nobody. Nothing throws.
 */
export interface HandOver {
  admit(taken: Taken): Promise<HandedOver>
  /** The money is there and nobody can be answered now. False when an answer is going out or has gone out. */
  miss(taken: Taken, reason: string): Promise<boolean>
}

export function openHandOver(options: PaywallSettings): HandOver {
  const { deliveries = deliveriesInMemory() } = options
  /** Payments that the seller was told of, the newest ones: by their names where they have any. */
  const heard = new Set<string | Paid>()
  const problem = (code: string, cause?: unknown) => tellProblem(options, code, cause)

  /** Nothing that a callback does or fails to do changes what the buyer gets. */
  async function tell(callback: () => unknown): Promise<void> {
    try {
      await callback()
    } catch (error) {
      await problem('callback_failed', error)
    }
  }

  /** False when the seller has heard of it, or there is nothing to hear. */
  function hear(paid: Paid): boolean {
    const name = paid.paymentId ?? paid
    if (isNothing(paid) || heard.has(name)) return false
    heard.add(name)
    const [oldest] = heard
    if (heard.size > limits.paywallDeliveriesMax && oldest !== undefined) heard.delete(oldest)
    void tell(() => options.onPaid?.(paid))
    return true
  }

  function undelivered(paid: Paid, reason: string): void {
    if (!isNothing(paid)) void tell(() => options.onUndelivered?.(paid, reason))
  }

  /** The seller hears of it whether or not it can be recorded. */
  async function failed(paid: Paid, reason: string): Promise<void> {
    try {
      if (paid.paymentId !== null) await deliveries.end(paid.paymentId, false)
    } catch (error) {
      void problem('deliveries_failed', error)
    }
    undelivered(paid, reason)
  }

  /** Whether the answer is ours to give now. @throws whatever the deliveries throw */
  async function begin({ paid, taken }: Taken): Promise<boolean> {
    const { paymentId } = paid
    if (paymentId !== null) {
      // What the deliveries know of, whoever has made it known has told of.
      if (await deliveries.begin(paymentId, false)) return true
      if (taken === 'before' || !(await deliveries.begin(paymentId, true))) return false
    }
    hear(paid)
    return true
  }

  async function unrecorded({ paid, taken }: Taken, reason: string, error: unknown) {
    void problem('deliveries_failed', error)
    if (taken === 'before' || !hear(paid)) return
    // One that is perhaps another's is not set free: its answer may be on its way.
    if (taken === 'now') await failed(paid, reason)
    else undelivered(paid, reason)
  }

  function admitted({ paid, response }: Taken): Admitted {
    const text = encodeHeader(response)
    let hasEnded = false
    const ended = async (reason?: string) => {
      if (hasEnded) return
      hasEnded = true
      try {
        if (reason !== undefined) return await failed(paid, reason)
        if (paid.paymentId !== null) await deliveries.end(paid.paymentId, true)
      } catch (error) {
        // Nobody waits for this; a record that cannot be written lets nothing out a second time.
        void problem('deliveries_failed', error)
      }
    }
    const headers = { ...NO_STORE, 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text }
    return { paid, headers, ended }
  }

  return {
    async admit(taken) {
      try {
        if (!(await begin(taken))) return { kind: 'used' }
      } catch (error) {
        await unrecorded(taken, 'the delivery could not be recorded', error)
        return { kind: 'unrecorded' }
      }
      return { kind: 'admitted', admitted: admitted(taken) }
    },
    async miss(taken, reason) {
      try {
        if (!(await begin(taken))) return false
      } catch (error) {
        await unrecorded(taken, reason, error)
        return true
      }
      await failed(taken.paid, reason)
      return true
    },
  }
}
