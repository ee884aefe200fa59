import type { Api } from '../api/api.ts'
import type { LiveEvent } from '../api/live.ts'
import type { Answer } from '../api/operation.ts'

export type AccountEvent = LiveEvent

const PAGE_EVENTS = 500
const PAGES_MAX = 20
/** The newest events that are shown. */
export const EVENTS_SHOWN_MAX = 200

export interface RecentEvents {
  /** Newest first. */
  readonly events: readonly AccountEvent[]
  /** There are so many that the newest were not reached: these are older. */
  readonly isBehind: boolean
}

/** The newest events that are kept. The API reads from the oldest on, so this goes through what is kept, so many pages at most. */
export async function recentEvents(api: Pick<Api, 'call'>): Promise<RecentEvents> {
  let kept: readonly AccountEvent[] = []
  let after: string | null = null
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer: Answer<'GET /events'> = await api.call('GET /events', {
      query: { limit: PAGE_EVENTS, after: after ?? undefined },
    })
    kept = [...kept, ...answer.events].slice(-EVENTS_SHOWN_MAX)
    after = answer.nextAfter
    if (!answer.hasMore) return { events: kept.toReversed(), isBehind: false }
  }
  return { events: kept.toReversed(), isBehind: true }
}

/** Newly heard events in front of those that were read; each once, the newest ones. */
export function withNewer(
  events: readonly AccountEvent[],
  newer: readonly AccountEvent[],
): readonly AccountEvent[] {
  const known = new Set(events.map(({ id }) => id))
  return [...newer.filter(({ id }) => !known.has(id)), ...events].slice(0, EVENTS_SHOWN_MAX)
}
