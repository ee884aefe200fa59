import { limits } from '../kernel/limits.ts'
import type { FramedMarketEvent } from './market-event.ts'

/** Market events that a reader has yet to be sent: what a slow one would not miss is left out before anything else waits. */
export interface MarketOutgoing {
  take(events: readonly FramedMarketEvent[]): void
  /** Sends as much as the connection has room for. */
  pump(): void
  clear(): void
  /** How many wait. */
  waiting(): number
}

/**
 * Of prices that wait only the newest of each token goes out; of everything else the newest limits.marketTradesWaitingMax, of which
 * retractions are left out last. `hasRoom`: the connection takes more now and nothing of the account waits before it.
 */
export function openMarketOutgoing({
  hasRoom,
  send,
}: {
  hasRoom(): boolean
  send(event: FramedMarketEvent): void
}): MarketOutgoing {
  const prices = new Map<string, FramedMarketEvent>()
  let others: FramedMarketEvent[] = []

  function put(framed: FramedMarketEvent): void {
    const { type, network, mint } = framed.event
    if (type === 'priceUpdate') {
      const key = `${network} ${mint}`
      prices.delete(key)
      prices.set(key, framed)
      const [oldest] = prices.keys()
      if (prices.size > limits.marketPricesWaitingMax && oldest !== undefined) prices.delete(oldest)
      return
    }
    others.push(framed)
    if (others.length <= limits.marketTradesWaitingMax) return
    const oldest = others.findIndex(({ event }) => !event.isRetraction)
    others.splice(Math.max(oldest, 0), 1)
  }

  function pump(): void {
    let sent = 0
    while (sent < others.length && hasRoom()) {
      const next = others[sent]
      sent += 1
      if (next !== undefined) send(next)
    }
    if (sent > 0) others = others.slice(sent)
    for (const [key, next] of prices) {
      if (others.length > 0 || !hasRoom()) return
      prices.delete(key)
      send(next)
    }
  }

  return {
    take: (events) => {
      for (const framed of events) {
        put(framed)
        pump()
      }
    },
    pump,
    clear: () => {
      prices.clear()
      others = []
    },
    waiting: () => others.length + prices.size,
  }
}
