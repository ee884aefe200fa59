import type { Heard } from '../facilitator/records.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Listener } from '../store/listen.ts'
import type { Store } from '../store/postgres.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import { findPayment } from './store.ts'

/** The slow timer behind the notifications, which may be lost with a connection. */
const LOOK_AGAIN_MILLISECONDS = 1_000
/** Without a reason an error would be made for every wake-up. */
const WOKEN = 'there is something to read'

export interface Waits {
  /**
   * The payment as soon as it has one of the statuses, or as it is when the time is over or nobody waits any more. Woken by
   * whichever instance changes it.
   */
  until(
    payment: { accountId: AccountId; id: PaymentId },
    reached: (status: PaymentStatus) => boolean,
    until: { atMilliseconds: number; over: AbortSignal },
  ): Promise<Payment | undefined>
  /** The same for whatever is read about a payment: read again when the payment has changed, and now and then because nobody may have said so. */
  look<Seen>(
    id: PaymentId,
    read: (hasChanged: boolean) => Promise<Seen | undefined>,
    isEnough: (seen: Seen) => boolean,
    until: { atMilliseconds: number; over: AbortSignal },
  ): Promise<Seen | undefined>
  /** Listens for changes of a payment from now on: for whoever will wait for what is about to be stored, and need not read it then. */
  listen(id: PaymentId): Heard
  /** How many requests wait now. */
  count(): number
}

export function openWaits({
  store,
  listener,
  clock,
}: {
  store: Store
  listener: Listener
  clock: Clock
}): Waits {
  const wakers = new Map<string, Set<() => void>>()
  let waiting = 0
  listener.onChanged((name) => wakers.get(name)?.forEach((wake) => wake()))

  /** Calls it at every change, until what it gives is called. */
  const wakeAtChanges = (id: PaymentId, wake: () => void): (() => void) => {
    const mine = wakers.get(id) ?? new Set()
    wakers.set(id, mine.add(wake))
    return () => {
      mine.delete(wake)
      if (mine.size === 0 && wakers.get(id) === mine) wakers.delete(id)
    }
  }

  const look: Waits['look'] = async (id, read, isEnough, { atMilliseconds, over }) => {
    if (waiting >= limits.waitersMax) return read(false)
    let pause = new AbortController()
    // One signal for both: a joint one of the platform's takes 15 µs and the collector's time, for each of the many who wait.
    const wake = () => pause.abort(WOKEN)
    let isNews = false
    const end = wakeAtChanges(id, () => {
      isNews = true
      wake()
    })
    over.addEventListener('abort', wake)
    waiting += 1
    let hasChanged = false
    try {
      while (true) {
        const seen = await read(hasChanged)
        const left = atMilliseconds - clock.nowMilliseconds()
        if (seen === undefined || isEnough(seen) || left <= 0 || over.aborted) return seen
        await clock.sleep(Math.min(left, LOOK_AGAIN_MILLISECONDS), pause.signal)
        hasChanged = isNews
        isNews = false
        if (pause.signal.aborted) pause = new AbortController()
      }
    } finally {
      waiting -= 1
      end()
      over.removeEventListener('abort', wake)
    }
  }

  return {
    count: () => waiting,
    look,
    listen: (id) => {
      let isChanged = false
      const end = wakeAtChanges(id, () => {
        isChanged = true
      })
      return { hasChanged: () => isChanged, end }
    },
    until: ({ accountId, id }, reached, until) =>
      look(
        id,
        () => store.inTransaction(accountId, (tx) => findPayment(tx, accountId, id)),
        (payment) => reached(payment.status),
        until,
      ),
  }
}
