import type { NetworkId } from '@florin/wire/network.ts'
import type { MarketFeed } from '../events/market-feed.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Listener } from '../store/listen.ts'
import type { Store } from '../store/postgres.ts'
import { marketEventsAfter, newestPlace } from './event-store.ts'
import type { StoredMarketEvent } from './event-store.ts'
import { networkOfName } from './wake-name.ts'

/**
 * Brings to this instance's listeners what markets showed, whichever instance read it. Begins with what comes from now on. A lost
 * notification delays an event by limits.marketLookAgainMilliseconds; what nobody listened to is passed over, and then a lost one may have whoever
 * listens next told of limits.marketUnheardLookMilliseconds before it.
 */
export function startMarketRelay({
  store,
  listener,
  feed,
  networks,
  clock,
  log,
}: {
  readonly store: Store
  readonly listener: Listener
  readonly feed: MarketFeed
  readonly networks: readonly NetworkId[]
  readonly clock: Clock
  readonly log: Log
}): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const lines = new Map(networks.map((network) => [network, openLine(network)]))

  function openLine(network: NetworkId) {
    let place: bigint | undefined
    let reading: Promise<void> | undefined
    let isStale = false

    async function readOn(): Promise<void> {
      while (isStale && !stopping.signal.aborted) {
        isStale = false
        if (place === undefined || !feed.isHeard()) {
          place = await store.inTransaction('service', (tx) => newestPlace(tx, network))
          continue
        }
        const from = place
        const events = await store.inTransaction('service', (tx) =>
          marketEventsAfter(tx, network, from, limits.marketEventsPerReadMax),
        )
        place = events.at(-1)?.place ?? place
        if (events.length === limits.marketEventsPerReadMax) isStale = true
        feed.publish(events.map((event) => marketEventOf(network, event)))
      }
    }

    return {
      wake: () => {
        isStale = true
        reading ??= readOn()
          .catch((error: unknown) =>
            log.debug({ network, reason: error }, 'market events were not read'),
          )
          .finally(() => {
            reading = undefined
          })
      },
      ended: async () => await reading,
    }
  }

  const wakeAll = () => {
    for (const line of lines.values()) line.wake()
  }
  const stopListening = listener.onChanged((name) => {
    const told = networkOfName(name)
    for (const [network, line] of lines) if (network === told) line.wake()
  })

  async function lookAgain(): Promise<void> {
    let unheardMilliseconds = 0
    while (!stopping.signal.aborted) {
      if (feed.isHeard()) unheardMilliseconds = 0
      if (unheardMilliseconds === 0) wakeAll()
      await clock.sleep(limits.marketLookAgainMilliseconds, stopping.signal)
      unheardMilliseconds += limits.marketLookAgainMilliseconds
      if (unheardMilliseconds >= limits.marketUnheardLookMilliseconds) unheardMilliseconds = 0
    }
  }
  const looking = lookAgain()

  return {
    stop: async () => {
      stopping.abort()
      stopListening()
      await looking
      for (const line of lines.values()) await line.ended()
    },
  }
}

function marketEventOf(network: NetworkId, event: StoredMarketEvent) {
  const { eventId, type, mint, dataText, atMilliseconds } = event
  const isRetraction = Reflect.get(Object(JSON.parse(dataText)), 'retracted') === true
  return { id: eventId, type, network, mint, dataText, atMilliseconds, isRetraction }
}
