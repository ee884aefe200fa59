import { limits } from '../limits.ts'

/**
 * What was delivered for which payment. The service gives one success per proof; this remembers whether that success
 * became an answer, so that a buyer whose answer failed may have it for the same proof and nobody has it twice. Several
 * servers behind one address share one: back it with a row per payment, written in one step.
 */
export interface Deliveries {
  /**
   * Whether an answer may be given for the payment now; if so, it counts as being given, and if not, nothing changes.
   * `isFirst`: also where the payment is not known here, because the service has just given out the success, or may have;
   * each is asked with false before. A repeat of a payment that is not known here gets nothing. So does one that has begun
   * four times, the first time and three more: a buyer can make answers fail on purpose, and ask something else each time.
   */
  begin(paymentId: string, isFirst: boolean): boolean | Promise<boolean>
  /** What became of it. Comes without a beginning when that could not be recorded: not delivered. */
  end(paymentId: string, wasDelivered: boolean): void | Promise<void>
}

/** Deliveries of this process, the newest ones; a restart forgets them, and then every repeat is refused. */
export function deliveriesInMemory(entriesMax: number = limits.paywallDeliveriesMax): Deliveries {
  const known = new Map<string, { readonly isFree: boolean; readonly begun: number }>()
  const set = (paymentId: string, isFree: boolean, begun: number) => {
    known.delete(paymentId)
    known.set(paymentId, { isFree, begun })
    const [oldest] = known.keys()
    if (known.size > entriesMax && oldest !== undefined) known.delete(oldest)
  }
  return {
    begin(paymentId, isFirst) {
      const { isFree, begun } = known.get(paymentId) ?? { isFree: isFirst, begun: 0 }
      const mayBegin = isFree && begun <= limits.paywallRedeliveriesMax
      if (mayBegin) set(paymentId, false, begun + 1)
      return mayBegin
    },
    end(paymentId, wasDelivered) {
      set(paymentId, !wasDelivered, known.get(paymentId)?.begun ?? 0)
    },
  }
}
