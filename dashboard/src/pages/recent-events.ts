import type { Api } from '../api/api.ts'
import type { LiveEvent } from '../api/live.ts'

export type AccountEvent = LiveEvent

/** The newest events that are shown. */
export const EVENTS_SHOWN_MAX = 200

/** The newest events that are kept, newest first. */
export async function recentEvents(api: Pick<Api, 'call'>): Promise<readonly AccountEvent[]> {
  const { events } = await api.call('GET /events', { query: { last: EVENTS_SHOWN_MAX } })
  return events.toReversed()
}

/** Newly heard events in front of those that were read; each once, the newest ones. */
export function withNewer(
  events: readonly AccountEvent[],
  newer: readonly AccountEvent[],
): readonly AccountEvent[] {
  const known = new Set(events.map(({ id }) => id))
  return [...newer.filter(({ id }) => !known.has(id)), ...events].slice(0, EVENTS_SHOWN_MAX)
}
