import { RawJson } from '@florin/wire/raw-json.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { Store } from '../store/postgres.ts'
import { eventsAfter, sequenceOf } from './event-store.ts'
import { unknownCursor } from './unknown-cursor.ts'
import type { Tickets } from './ticket.ts'

const LIMIT_DEFAULT = 100

/** The routes that read events page by page, and open the way for those who listen. */
export function eventRoutes({
  store,
  tickets,
}: {
  readonly store: Store
  readonly tickets: Tickets
}): readonly Route[] {
  return [
    route(endpoints.listEvents, async ({ query, caller }) => {
      const { after, limit = LIMIT_DEFAULT } = query
      const sequence = after === undefined ? 0 : await sequenceOf(store, caller.accountId, after)
      if (sequence === undefined) throw unknownCursor()
      // One more than asked for says whether another page follows.
      const found = await eventsAfter(store, caller.accountId, sequence, limit + 1)
      const events = found.slice(0, limit)
      return {
        body: {
          events: events.map((event) => ({
            id: event.id,
            type: event.type,
            channel: event.channel,
            sequence: event.sequence,
            data: new RawJson(event.dataText),
            timestamp: event.createdAtMilliseconds,
          })),
          hasMore: found.length > limit,
          nextAfter: events.at(-1)?.id ?? after ?? null,
        },
      }
    }),
    route(endpoints.createEventTicket, async ({ caller }) => ({
      body: await tickets.give(caller),
    })),
  ]
}
