import { frameMarketEvent } from './market-event.ts'
import type { FramedMarketEvent, MarketEvent } from './market-event.ts'

/** Fans market events out to all who listen on this instance. */
export interface MarketFeed {
  /** Calls back with what comes from now on; must not throw. Gives the way to leave. */
  join(take: (events: readonly FramedMarketEvent[]) => void): () => void
  publish(events: readonly MarketEvent[]): void
  /** Whether anybody listens. */
  isHeard(): boolean
}

export function openMarketFeed(): MarketFeed {
  const readers = new Set<(events: readonly FramedMarketEvent[]) => void>()
  return {
    join: (take) => {
      readers.add(take)
      return () => void readers.delete(take)
    },
    publish: (events) => {
      if (readers.size === 0 || events.length === 0) return
      const framed = events.map(frameMarketEvent)
      for (const take of readers) take(framed)
    },
    isHeard: () => readers.size > 0,
  }
}
