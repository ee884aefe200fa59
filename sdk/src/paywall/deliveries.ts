import { limits } from '../limits.ts'

/**
 * What was delivered for which payment. The service gives one success per proof; this remembers whether that success
 * became an answer, so that a buyer whose answer failed may have it for the same proof and nobody has it twice. Several
 * servers behind one address share one: back it with a row per payment, written in one step.
 */
export interface Deliveries {
  /**
   * Whether an answer may be given for the payment now; if so, it counts as being given. `isFirst`: the service has
   * just given out the success. A repeat of a payment that is not known here gets nothing.
   */
  begin(paymentId: string, isFirst: boolean): boolean | Promise<boolean>
  /** What became of it. */
  end(paymentId: string, wasDelivered: boolean): void | Promise<void>
}

/** Deliveries of this process, the newest ones; a restart forgets them, and then every repeat is refused. */
export function deliveriesInMemory(entriesMax: number = limits.paywallDeliveriesMax): Deliveries {
  const isFree = new Map<string, boolean>()
  const set = (paymentId: string, free: boolean) => {
    isFree.delete(paymentId)
    isFree.set(paymentId, free)
    const [oldest] = isFree.keys()
    if (isFree.size > entriesMax && oldest !== undefined) isFree.delete(oldest)
  }
  return {
    begin(paymentId, isFirst) {
      const free = isFree.get(paymentId) ?? isFirst
      if (free) set(paymentId, false)
      return free
    },
    end: (paymentId, wasDelivered) => set(paymentId, !wasDelivered),
  }
}
