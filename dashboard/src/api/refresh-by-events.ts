import type { QueryClient } from '@tanstack/react-query'
import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { Live } from './live.ts'

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
  verification: ['GET /events'],
  webhook: ['GET /webhooks', 'GET /overview', 'GET /events'],
}
const GATHER_MILLISECONDS = 150
/** The service sums up anew only so often: what was read just after an event may be from before it. */
const SUMMED_LATE = 'GET /overview'
const SUMMED_LATE_MILLISECONDS = 5_500

/** Reads again what events make old, many events at once, and what could not be read while they were away. Gives the way to end it. */
export function refreshByEvents(live: Live, client: QueryClient): () => void {
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let late: ReturnType<typeof setTimeout> | undefined
  const refresh = (beginnings: readonly string[]) =>
    void client.invalidateQueries({
      predicate: ({ queryKey: [operation] }) =>
        typeof operation === 'string' && beginnings.some((each) => operation.startsWith(each)),
    })
  const refreshWaiting = () => {
    timer = undefined
    const beginnings = [...waiting]
    waiting.clear()
    refresh(beginnings)
    if (!beginnings.includes(SUMMED_LATE)) return
    clearTimeout(late)
    late = setTimeout(() => refresh([SUMMED_LATE]), SUMMED_LATE_MILLISECONDS)
  }
  const stop = live.listen(({ type }) => {
    for (const each of MADE_OLD[type]) waiting.add(each)
    timer ??= setTimeout(refreshWaiting, GATHER_MILLISECONDS)
  })
  const stopWatching = live.onState(() => {
    if (live.state() !== 'live') return
    void client.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
  })
  return () => {
    stop()
    stopWatching()
    clearTimeout(timer)
    clearTimeout(late)
  }
}
