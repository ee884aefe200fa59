import type { QueryClient } from '@tanstack/react-query'
import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { Live } from './live.ts'
import { markChanged } from './use-pages.ts'

/** Beginnings of the operations whose answers an event makes old. */
const MADE_OLD: Readonly<Record<AccountEventType, readonly string[]>> = {
  payment: [
    'GET /payment',
    'GET /wallets',
    'GET /overview',
    'GET /events',
    'GET /trade/history',
    'GET /trade/{',
    'GET /portfolio',
  ],
  settlement: ['GET /payment', 'GET /overview', 'GET /events', 'GET /operator/'],
  escrowCall: ['GET /x402/escrow-calls', 'GET /events'],
  verification: ['GET /events'],
  webhook: ['GET /webhooks', 'GET /overview', 'GET /events'],
}
const GATHER_MILLISECONDS = 150
/** Between one reading and the next while events flow. */
const PACE_MILLISECONDS = 1_000
/** An answer that does not come keeps the others of the page waiting no longer. */
const READING_MILLISECONDS_MAX = 10_000
/** The service sums up anew only so often: what was read just after an event may be from before it. */
const SUMMED_LATE = 'GET /overview'
const SUMMED_LATE_MILLISECONDS = 5_500

/** Reads again what events make old, many events at once and at a pace, and what could not be read while they were away. Gives the way to end it. */
export function refreshByEvents(live: Live, client: QueryClient): () => void {
  const waiting = new Set<string>()
  const named = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let late: ReturnType<typeof setTimeout> | undefined
  let isReading = false
  let isStopped = false
  const refresh = (beginnings: readonly string[]) =>
    client.invalidateQueries({
      predicate: ({ queryKey: [operation] }) =>
        typeof operation === 'string' && beginnings.some((each) => operation.startsWith(each)),
    })
  const gather = () => {
    if (isReading || isStopped || waiting.size === 0) return
    timer ??= setTimeout(() => void refreshWaiting(), GATHER_MILLISECONDS)
  }
  const refreshWaiting = async () => {
    timer = undefined
    isReading = true
    const beginnings = [...waiting]
    waiting.clear()
    markChanged(client, named)
    named.clear()
    const read = refresh(beginnings)
    if (beginnings.includes(SUMMED_LATE)) {
      clearTimeout(late)
      late = setTimeout(() => void refresh([SUMMED_LATE]), SUMMED_LATE_MILLISECONDS)
    }
    // A reading that began anew with every event would never come to its end over a slow line.
    await Promise.race([read, pause(READING_MILLISECONDS_MAX)])
    await pause(PACE_MILLISECONDS)
    isReading = false
    gather()
  }
  const stop = live.listen(({ type, data }) => {
    for (const each of MADE_OLD[type]) waiting.add(each)
    for (const [field, value] of Object.entries(data)) {
      if (field.endsWith('Id') && typeof value === 'string') named.add(value)
    }
    gather()
  })
  const stopWatching = live.onState(() => {
    if (live.state() !== 'live') return
    void client.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
  })
  return () => {
    isStopped = true
    stop()
    stopWatching()
    clearTimeout(timer)
    clearTimeout(late)
  }
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds)
  })
