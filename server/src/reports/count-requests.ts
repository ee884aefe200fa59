import type { Gate } from '../http/gate.ts'
import type { Caller, Visitor } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import { addCounts } from './day-store.ts'
import type { DayCount } from './day-store.ts'

const DAY_MILLISECONDS = 24 * 3_600_000

/** The day of a moment in UTC, `2026-09-21`. Asked for every request, and nearly always for the same day. */
function dayOf(atMilliseconds: number): string {
  const number = Math.floor(atMilliseconds / DAY_MILLISECONDS)
  if (last.number !== number) {
    last = { number, text: new Date(atMilliseconds).toISOString().slice(0, 10) }
  }
  return last.text
}

let last = { number: Number.NaN, text: '' }

/** The day so many days before. */
export function dayBefore(atMilliseconds: number, days: number): string {
  return dayOf(atMilliseconds - days * DAY_MILLISECONDS)
}

export interface RequestCounts {
  /** The same gate, which counts whom it lets in. */
  counted(gate: Gate): Gate
  /** Writes down what was counted, and ends. */
  stop(): Promise<void>
}

/**
 * Counts requests by account and day in memory and writes them down every limits.requestCountsSeconds, all in one statement: a
 * request costs no write. What an instance that dies has not written is lost: this is for looking at, nobody is billed by it.
 */
export function openRequestCounts({
  store,
  clock,
  log,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}): RequestCounts {
  let counts = new Map<AccountId, Map<string, number>>()
  const stopping = new AbortController()

  function add({ accountId, day, requests }: DayCount): void {
    let days = counts.get(accountId)
    if (days === undefined) {
      days = new Map()
      counts.set(accountId, days)
    }
    days.set(day, (days.get(day) ?? 0) + requests)
  }

  function countIn(who: Caller | Visitor): Caller | Visitor {
    if (who.accountId !== undefined) {
      add({ accountId: who.accountId, day: dayOf(clock.nowMilliseconds()), requests: 1 })
    }
    return who
  }

  async function write(): Promise<void> {
    const taken = [...counts].flatMap(([accountId, days]) =>
      [...days].map(([day, requests]) => ({ accountId, day, requests })),
    )
    if (taken.length === 0) return
    counts = new Map()
    try {
      await addCounts(store, taken)
    } catch (error) {
      // Not added again: whether they were added nobody knows, and too few is better than too many.
      log.debug({ reason: error }, 'counts of requests were not written')
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(limits.requestCountsSeconds * 1000, stopping.signal)
      await write()
    }
  }
  const running = run()

  return {
    counted: (gate) => ({
      ...gate,
      admit: (arrival) => {
        const who = gate.admit(arrival)
        return who instanceof Promise ? who.then(countIn) : countIn(who)
      },
    }),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
