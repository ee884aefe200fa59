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

/** A payment that a transaction of ours was just seen to have paid, as committed. */
export interface JustConfirmed {
  readonly payment: Payment
  /** The block of the transaction, which is the newest of its height that was read. */
  readonly blockHash: string
  /** How far its network had been read as of then. */
  readonly followedHeight: bigint
}

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
  /**
   * The same for whatever is read about a payment: read again when the payment has changed, and now and then because nobody may have said so.
   * Whoever sleeps is woken by what it is told, too, and looks at that before anything else can happen.
   */
  look<Seen>(
    id: PaymentId,
    read: (hasChanged: boolean, told?: JustConfirmed) => Promise<Seen | undefined>,
    isEnough: (seen: Seen) => boolean,
    until: { atMilliseconds: number; over: AbortSignal },
  ): Promise<Seen | undefined>
  /**
   * Keeps news of payments back while a transaction of this instance says what became of them, until what it gives is called: with what was
   * committed, which those who wait are given instead, or with nothing.
   */
  hold(ids: readonly PaymentId[]): (confirmed: readonly JustConfirmed[]) => void
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
  const wakers = new Map<string, Set<(told?: JustConfirmed) => void>>()
  let waiting = 0
  /** Payments of which this instance is about to tell, those of rounds under way alone, and whether there was news of them meanwhile. */
  const held = new Map<string, boolean>()
  listener.onChanged((name) => {
    if (held.has(name)) held.set(name, true)
    else wakers.get(name)?.forEach((wake) => wake())
  })

  /** Calls it at every change, until what it gives is called. */
  const wakeAtChanges = (id: PaymentId, wake: (told?: JustConfirmed) => void): (() => void) => {
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
    let told: JustConfirmed | undefined
    let isAsleep = false
    const end = wakeAtChanges(id, (confirmed) => {
      // To one that is reading it may be old by the time the read has ended.
      if (confirmed !== undefined && isAsleep) told = confirmed
      else isNews = true
      wake()
    })
    over.addEventListener('abort', wake)
    waiting += 1
    let hasChanged = false
    try {
      while (true) {
        const given = told
        told = undefined
        const seen = await read(hasChanged, given)
        const left = atMilliseconds - clock.nowMilliseconds()
        if (seen === undefined || isEnough(seen) || left <= 0 || over.aborted) return seen
        isAsleep = true
        await clock.sleep(Math.min(left, LOOK_AGAIN_MILLISECONDS), pause.signal)
        isAsleep = false
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
    hold: (ids) => {
      for (const id of ids) held.set(id, false)
      return (confirmed) => {
        const told = new Map(confirmed.map((each) => [each.payment.id, each]))
        for (const id of ids) {
          const each = told.get(id)
          // What is told is newer than any news: while this instance has the lease, nobody else changes what it has stored.
          if (held.get(id) === true || each !== undefined)
            wakers.get(id)?.forEach((wake) => wake(each))
          held.delete(id)
        }
      }
    },
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
