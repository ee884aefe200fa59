import type { Clock } from '../kernel/clock.ts'
import { hasLeft } from '../kernel/has-left.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import type { Listener } from '../store/listen.ts'
import { notifyChanged } from '../store/listen.ts'
import { CommitUnknown, StoreUnavailable } from '../store/postgres.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { NumberedEvent } from './event.ts'
import { runsOf } from './fact-runs.ts'
import type { OutboxEvent } from './facts.ts'
import { countWaiting, holdRelay, numberNext, RelayLost } from './relay-store.ts'
import { releaseRelay, takeRelay } from './relay-store.ts'
import { eventsNames } from './wake-name.ts'

/**
 * What follows from events, written in the very transaction that numbers them: happens exactly once per event, or the event is not
 * numbered. Must not wait for anything but the database, must be short whatever an account has, since the events of all wait behind it, and must not
 * throw for what it can pass over: nothing is numbered until it does not.
 */
export type OnNumbered = (tx: Tx, events: readonly NumberedEvent[]) => Promise<void>

const OUTBOX = 'outbox'
/** After many were numbered, what lies in the outbox waits so much longer: where facts come in waves, all of a wave share a transaction. */
export const GATHER_ON = { millisecondsPerEvent: 2, millisecondsMax: 80 } as const
/** Without a reason an error would be made for every wake-up. */
const WOKEN = 'there is something to number'

export interface RelayDeps {
  readonly store: Store
  readonly listener: Listener
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  /** Who this instance is, among those that share the database. */
  readonly instance: string
  readonly onNumbered: readonly OnNumbered[]
  /** Told of events once their numbers are committed, if it is this instance that numbered them. */
  readonly announce: (events: readonly NumberedEvent[]) => void
}

export interface Relay {
  /** There is something in the outbox. Costs nothing to call for every commit. */
  wake(): void
  /**
   * Numbers facts that bind nobody, without the way through the outbox: half of what an event costs the database. Undefined when this instance
   * does not number, or has enough of them: then the outbox is the way. Rejects when it was not told that they are numbered; with RelayLost they
   * surely are not.
   */
  number(events: readonly OutboxEvent[]): Promise<void> | undefined
  /** Whether this instance numbers. */
  isHolding(): boolean
  stop(): Promise<void>
}

const LEASE_MILLISECONDS = limits.relayLeaseSeconds * 1000
/** For what comes between the look at the outbox and its numbering. */
const IDS_SPARE = 8
/** As many of our names as a notification of 8,000 bytes holds. */
const NAMES_MAX = 140

/**
 * Numbers what the outbox holds, one instance at a time under a lease. All of it is one transaction per batch, so an instance may die at any
 * point: rows are in the outbox or numbered, never both and never neither. Every failure ends a round and decides nothing.
 */
export function startRelay(deps: RelayDeps): Relay {
  const { store, listener, clock, log, random, instance } = deps
  const stopping = new AbortController()
  let pause = new AbortController()
  let held: { readonly fence: bigint; readonly renewAt: number } | undefined
  let failures = 0
  let telling: Promise<void> | undefined
  let tellAgain = false
  let waitingGiven: GivenBatch[] = []
  /** How many events this round has numbered. */
  let eventsOfRound = 0
  let gathering = new AbortController()
  /** Something came into the outbox since it was last emptied. */
  let isAdded = false
  let lookAt = 0

  const wakeUp = () => pause.abort(WOKEN)
  const wakeForOutbox = () => {
    isAdded = true
    wakeUp()
  }
  const stopListening = listener.onChanged((name) => {
    if (name === OUTBOX && held !== undefined) wakeForOutbox()
  })

  /** Numbers what is given, and so many rows of the outbox at most. Whether that emptied it. */
  async function numberBatch(
    fence: bigint,
    rowsMax: number,
    given: readonly OutboxEvent[],
  ): Promise<boolean> {
    const startedAt = clock.nowMilliseconds()
    const runs = runsOf(given)
    const ids = Array.from({ length: rowsMax + runs.length }, () => newId(random, 'evt'))
    const { events, isEmptied } = await store.inTransaction('service', async (tx) => {
      // Sent one behind the other, without the wait in between: without the lease all of it is rolled back.
      const [, numbered] = await Promise.all([
        holdRelay(tx, fence, LEASE_MILLISECONDS),
        numberNext(tx, ids, runs, startedAt),
      ])
      if (numbered.events.length === 0) return numbered
      for (const follow of deps.onNumbered) await follow(tx, numbered.events)
      const names = eventsNames(numbered.events)
      for (let start = 0; start < names.length; start += NAMES_MAX) {
        await notifyChanged(tx, names.slice(start, start + NAMES_MAX))
      }
      return numbered
    })
    held = { fence, renewAt: startedAt + LEASE_MILLISECONDS / 2 }
    eventsOfRound += events.length
    if (events.length > 0) deps.announce(events)
    return isEmptied
  }

  async function numberGiven(fence: bigint, rowsMax: number): Promise<boolean> {
    const batches = takeGiven()
    // What is added from here on may be too late for this one.
    isAdded = false
    try {
      const given = batches.flatMap(({ events }) => events)
      const isEmptied = await numberBatch(fence, rowsMax, given)
      for (const { resolve } of batches) resolve()
      return isEmptied
    } catch (error) {
      for (const { reject } of batches) reject(error)
      const isOfAll =
        error instanceof RelayLost ||
        error instanceof StoreUnavailable ||
        error instanceof CommitUnknown
      if (batches.length === 0 || isOfAll) throw error
      // Something that was given cannot be kept: what lies in the outbox does not wait for it.
      report(error)
      return false
    }
  }

  function takeGiven(): readonly GivenBatch[] {
    let count = 0
    const fitting = waitingGiven.findIndex(({ events }) => {
      count += events.length
      return count > limits.relayBatchMax
    })
    return waitingGiven.splice(0, fitting === -1 ? waitingGiven.length : Math.max(fitting, 1))
  }

  /** Nobody here numbers them now. */
  function giveBack(): void {
    const left = waitingGiven
    waitingGiven = []
    for (const { reject } of left) reject(new RelayLost('this instance does not number'))
  }

  /** How many rows to ask for. Whoever was told that there are some need not look first. */
  async function howManyWait(now: number): Promise<number> {
    if (isAdded) return limits.relayAddedMax
    if (hasLeft(lookAt, now, limits.relayLookAgainMilliseconds)) return 0
    lookAt = now + limits.relayLookAgainMilliseconds
    return await countWaiting(store, limits.relayBatchMax)
  }

  async function round(): Promise<void> {
    const now = clock.nowMilliseconds()
    if (held === undefined || !hasLeft(held.renewAt, now, LEASE_MILLISECONDS / 2)) {
      const taken = await store.inTransaction('service', (tx) =>
        takeRelay(tx, instance, LEASE_MILLISECONDS),
      )
      held = taken && { ...taken, renewAt: now + LEASE_MILLISECONDS / 2 }
    }
    if (held === undefined) {
      giveBack()
      return
    }
    const { fence } = held
    let waiting = await howManyWait(now)
    while ((waiting > 0 || waitingGiven.length > 0) && !stopping.signal.aborted) {
      const size = Math.min(waiting + IDS_SPARE, limits.relayBatchMax)
      waiting = (await numberGiven(fence, size)) ? 0 : limits.relayBatchMax
    }
  }

  /** Where many were numbered more are coming, and share the next transaction. What is given has gathered before, and waits for none. */
  async function gatherOn(): Promise<void> {
    gathering = new AbortController()
    if (eventsOfRound === 0 || waitingGiven.length > 0) return
    const over = AbortSignal.any([stopping.signal, gathering.signal])
    const { millisecondsPerEvent, millisecondsMax } = GATHER_ON
    await clock.sleep(Math.min(eventsOfRound * millisecondsPerEvent, millisecondsMax), over)
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      pause = new AbortController()
      eventsOfRound = 0
      try {
        await round()
        failures = 0
      } catch (error) {
        held = undefined
        lookAt = 0
        giveBack()
        failures += 1
        report(error)
      }
      if (stopping.signal.aborted) break
      // What comes meanwhile shares the next transaction; and a failure is no reason to hurry.
      await clock.sleep(
        failures === 0 ? limits.relayGatherMilliseconds : backOff(failures),
        stopping.signal,
      )
      await gatherOn()
      await clock.sleep(
        limits.relayLookAgainMilliseconds,
        AbortSignal.any([stopping.signal, pause.signal]),
      )
    }
    giveBack()
    await store.inTransaction('service', (tx) => releaseRelay(tx, instance)).catch(report)
  }

  /** Wakes the instance that numbers, at most once per pause however many commits there are. */
  async function tell(): Promise<void> {
    do {
      tellAgain = false
      await store
        .inTransaction('service', (tx) => notifyChanged(tx, [OUTBOX]))
        .catch((error: unknown) => log.debug({ reason: error }, 'the relay was not told'))
      await clock.sleep(limits.relayTellMilliseconds, stopping.signal)
    } while (tellAgain && !stopping.signal.aborted)
  }

  function report(error: unknown): void {
    if (error instanceof RelayLost) log.info({ reason: error }, 'another instance numbers events')
    else if (error instanceof StoreUnavailable || error instanceof CommitUnknown) {
      log.warn({ failures, reason: error }, 'events wait to be numbered')
    } else log.error({ failures, err: error }, 'events could not be numbered')
  }

  const running = run()
  return {
    wake: () => {
      if (held !== undefined) wakeForOutbox()
      else if (telling === undefined) {
        telling = tell().finally(() => {
          telling = undefined
        })
      } else tellAgain = true
    },
    number: (events) => {
      const count = waitingGiven.reduce((sum, each) => sum + each.events.length, events.length)
      const isAway = held === undefined || stopping.signal.aborted
      if (isAway || count > limits.relayGivenMax) return undefined
      const parts: Promise<void>[] = []
      for (let start = 0; start < events.length; start += limits.relayBatchMax) {
        const part = events.slice(start, start + limits.relayBatchMax)
        parts.push(
          new Promise((resolve, reject) => {
            waitingGiven.push({ events: part, resolve, reject })
          }),
        )
      }
      wakeUp()
      gathering.abort(WOKEN)
      return Promise.all(parts).then(() => undefined)
    },
    isHolding: () => held !== undefined,
    stop: async () => {
      stopping.abort()
      stopListening()
      await running
      await telling
    },
  }
}

/** Facts that wait to be numbered, and who wants to know. */
interface GivenBatch {
  readonly events: readonly OutboxEvent[]
  resolve(): void
  reject(error: unknown): void
}

function backOff(failures: number): number {
  return Math.min(100 * 2 ** Math.min(failures, 6), limits.relayLeaseSeconds * 1000)
}
