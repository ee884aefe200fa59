import { RawJson } from '@florin/wire/raw-json.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import { eventsAfter, lastSequences, sequenceOf } from './event-store.ts'
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
      const { after, last, limit = last ?? LIMIT_DEFAULT } = query
      if (after !== undefined && last !== undefined) {
        throw new Refusal('INVALID_PARAMETERS', { details: { last: 'not together with after' } })
      }
      const { accountId } = caller
      const sequence =
        after !== undefined
          ? await sequenceOf(store, accountId, after)
          : last !== undefined
            ? await sequenceBefore(store, accountId, last)
            : 0
      if (sequence === undefined) throw unknownCursor()
      // One more than asked for says whether another page follows.
      const found = await eventsAfter(store, accountId, sequence, limit + 1)
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

/** The number after which the newest `count` events come: numbers have no gaps. */
async function sequenceBefore(store: Store, accountId: AccountId, count: number): Promise<number> {
  const last = (await lastSequences(store, [accountId])).get(accountId) ?? 0
  return Math.max(last - count, 0)
}
