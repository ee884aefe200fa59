import type { Clock } from '../kernel/clock.ts'
import { hasLeft } from '../kernel/has-left.ts'
import type { AccountId, WebhookId } from '../kernel/id.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import type { WebhookEnd } from '../metrics/webhook-metrics.ts'
import type { Listener } from '../store/listen.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { StoreUnavailable } from '../store/postgres.ts'
import { waitAfter } from './backoff.ts'
import { forgetDeliveries } from './delivery-store.ts'
import type { TakenDelivery } from './delivery.ts'
import { QUEUE } from './queue-name.ts'
import { finishAttempt, keepLeases, noteFailure, noteSuccess, takeDue } from './queue-store.ts'
import type { After, Taken } from './queue-store.ts'
import { sendDelivery } from './send-delivery.ts'
import type { SendDeps, Sent } from './send-delivery.ts'
import type { PauseReason } from './webhook.ts'

export interface DeliveriesDeps extends SendDeps {
  readonly store: Store
  readonly listener: Listener
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  /** Tells the owner that an endpoint was paused, in the transaction that pauses it. */
  readonly tellPaused: (tx: Tx, paused: PausedWebhook) => Promise<void>
  readonly onAttempt: (end: WebhookEnd, milliseconds: number) => void
}

/** An endpoint that nothing is sent to until its owner says so. */
export interface PausedWebhook {
  readonly accountId: AccountId
  readonly webhookId: WebhookId
  readonly reason: PauseReason
  readonly failingSinceMilliseconds: number
}

const NOTHING: Taken = { deliveries: [], next: null }
const LEASE_RENEWALS = 3
const DAY_MILLISECONDS = 24 * 3_600_000
/** After trouble that is ours. */
const AGAIN_MILLISECONDS = 1_000

/**
 * Sends what is due, as long as the service runs; every instance does. What one has taken is leased: when it dies, another sends it
 * again, so an event arrives at least once. Gives the way to stop: what is under way is given up after a moment and is due again.
 */
export function startDeliveries(deps: DeliveriesDeps): { stop(): Promise<void> } {
  const { store, listener, clock, log, random } = deps
  const stopping = new AbortController()
  const givingUp = new AbortController()
  /** Each taking for itself: a delivery whose lease ran out may be taken again while its first request is still open. */
  const underWay = new Set<TakenDelivery>()
  const sending = new Set<Promise<void>>()
  let pause = new AbortController()
  let forgetAt = 0

  const wakeUp = () => pause.abort()
  const stopListening = listener.onChanged((name) => {
    if (name === QUEUE) wakeUp()
  })

  async function take(after: string, free: number): Promise<Taken> {
    const troubled = [...underWay].filter(({ isInTrouble }) => isInTrouble).length
    const freeForTroubled = Math.max(0, limits.webhookTroubledRequestsMax - troubled)
    const lease = newId(random, 'dlv')
    return store.inTransaction('service', (tx) =>
      takeDue(tx, lease, { free, freeForTroubled, after }),
    )
  }

  async function send(delivery: TakenDelivery): Promise<void> {
    const { webhookId } = delivery
    try {
      const sent = await sendDelivery(deps, delivery, givingUp.signal)
      const end = await store.inTransaction('service', (tx) => writeDown(tx, delivery, sent))
      deps.onAttempt(end, sent.attempt.milliseconds)
      if (end !== 'delivered') {
        const { status, error, milliseconds } = sent.attempt
        log.info({ webhookId, status, reason: error, milliseconds }, 'a webhook was not taken')
      }
    } catch (error) {
      // Its lease runs out, and somebody sends it again.
      report(error, 'an attempt could not be written down', webhookId)
      await clock.sleep(AGAIN_MILLISECONDS, stopping.signal)
    } finally {
      underWay.delete(delivery)
    }
  }

  async function writeDown(
    tx: Tx,
    delivery: TakenDelivery,
    { verdict, attempt }: Sent,
  ): Promise<WebhookEnd> {
    const { webhookId, accountId } = delivery
    const after = afterwards(delivery, verdict)
    const log = [...delivery.log, attempt].slice(-limits.webhookLogAttemptsMax)
    const counts = verdict !== 'nothing'
    if (verdict === 'taken') {
      const isSlow = attempt.milliseconds >= limits.webhookSlowMilliseconds
      await noteSuccess(tx, delivery, { isSlow })
    } else if (counts) {
      const paused = await noteFailure(tx, delivery, { isGone: verdict === 'gone' })
      if (paused !== undefined) await tellPaused(tx, { accountId, webhookId, ...paused })
    }
    const isOurs = await finishAttempt(tx, delivery, after, counts ? log : delivery.log)
    return isOurs ? after.kind : 'dropped'
  }

  async function tellPaused(tx: Tx, paused: PausedWebhook): Promise<void> {
    const { webhookId, accountId, reason } = paused
    log.warn({ webhookId, accountId, reason }, 'a webhook was paused')
    await deps.tellPaused(tx, paused)
  }

  function afterwards(delivery: TakenDelivery, verdict: Sent['verdict']): After {
    if (verdict === 'taken') return { kind: 'delivered' }
    if (verdict === 'nothing') {
      return { kind: 'later', waitMilliseconds: AGAIN_MILLISECONDS, counts: false }
    }
    const waitMilliseconds = waitAfter(delivery.attempts + 1, delivery.ageMilliseconds, random)
    return waitMilliseconds === undefined
      ? { kind: 'failed' }
      : { kind: 'later', waitMilliseconds, counts: true }
  }

  async function run(): Promise<void> {
    let after = ''
    while (!stopping.signal.aborted) {
      pause = new AbortController()
      const free = limits.webhookRequestsMax - underWay.size
      const isFull = free <= 0
      const taken = isFull
        ? NOTHING
        : await take(after, free).catch((error: unknown) => {
            report(error, 'webhooks wait to be sent')
            return NOTHING
          })
      if (!isFull) after = taken.next ?? ''
      for (const delivery of taken.deliveries) {
        underWay.add(delivery)
        const sent = send(delivery).finally(() => {
          sending.delete(sent)
          wakeUp()
        })
        sending.add(sent)
      }
      // However much is due: else a service that is never quiet would keep all.
      await forget()
      if (taken.deliveries.length > 0 || taken.next !== null) continue
      await clock.sleep(
        limits.webhookLookAgainMilliseconds,
        AbortSignal.any([stopping.signal, pause.signal]),
      )
    }
  }

  /** Beside the sending: an endpoint may take longer to answer than a lease lasts. */
  async function keep(): Promise<void> {
    while (!stopping.signal.aborted || underWay.size > 0) {
      await clock.sleep(
        (limits.webhookLeaseSeconds * 1000) / LEASE_RENEWALS,
        AbortSignal.any([stopping.signal]),
      )
      if (stopping.signal.aborted) return
      const leases = [...new Set([...underWay].map(({ lease }) => lease))]
      if (leases.length === 0) continue
      await store
        .inTransaction('service', (tx) => keepLeases(tx, leases))
        .catch((error: unknown) => report(error, 'leases of webhooks were not kept'))
    }
  }

  async function forget(): Promise<void> {
    const now = clock.nowMilliseconds()
    if (hasLeft(forgetAt, now, limits.webhookForgetSeconds * 1000)) return
    const before = now - limits.webhookLogDays * DAY_MILLISECONDS
    const { webhookForgetMax, webhookForgetSeconds } = limits
    try {
      const removed = await store.inTransaction('service', (tx) =>
        forgetDeliveries(tx, before, webhookForgetMax),
      )
      const hasMore = removed >= webhookForgetMax
      forgetAt = now + (hasMore ? limits.forgetPauseMilliseconds : webhookForgetSeconds * 1000)
    } catch (error) {
      forgetAt = now + webhookForgetSeconds * 1000
      report(error, 'old deliveries were not removed')
    }
  }

  function report(error: unknown, message: string, webhookId?: WebhookId): void {
    if (error instanceof StoreUnavailable) log.warn({ webhookId, reason: error }, message)
    else log.error({ webhookId, err: error }, message)
  }

  const running = Promise.all([run(), keep()])
  return {
    stop: async () => {
      stopping.abort()
      stopListening()
      await running
      const over = new AbortController()
      await Promise.race([
        Promise.all(sending),
        clock.sleep(limits.webhookDrainMilliseconds, over.signal),
      ])
      over.abort()
      givingUp.abort()
      await Promise.all(sending)
    },
  }
}
