import { call } from './call.ts'
import type { CallOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { ListEventsAnswer, ListEventsQuery } from './contract/list-events.ts'
import { listen } from './listen.ts'
import type { ListenOptions } from './listen.ts'

/** What happened in the account. `id` names it for ever, `sequence` counts all events of the account without a gap. */
export type AccountEvent = ListEventsAnswer['events'][number]

export interface Events {
  /** Events after one that you have, oldest first; without `after` from the oldest that is kept. */
  page(query?: ListEventsQuery, options?: CallOptions): Promise<ListEventsAnswer>
  /**
   * Every event from now on, or after `after`, in order, each once, for as long as you read. A lost connection is made again, and what
   * was missed comes first. Keep the id of the last event that you have dealt with: after a restart it is your `after`.
   * @throws {FlorinError} when the service refuses for good: the key, the scope, a key to listen to, an `after` that it does not have.
   */
  listen(options?: ListenOptions): AsyncGenerator<AccountEvent, void, undefined>
}

export function events(connection: Connection): Events {
  return {
    page: (query = {}, options) => call(connection, 'listEvents', { query }, options),
    listen: (options = {}) => listen(connection, options),
  }
}
