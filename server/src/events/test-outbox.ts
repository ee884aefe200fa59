import { systemClock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Listener } from '../store/listen.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { NumberedEvent } from './event.ts'
import { eventsOf } from './event-runs.ts'
import type { EventRunRow } from './event-runs.ts'
import { startRelay } from './relay.ts'
import type { Relay, RelayDeps } from './relay.ts'
import { addToOutbox } from './store.ts'

/** Writes one fact about a payment. */
export async function tell(tx: Tx, accountId: AccountId, resourceId: string, data = {}) {
  const event = { accountId, type: 'payment', resourceId, data } as const
  await addToOutbox(tx, [event], systemClock.nowMilliseconds())
}

/** A listener that hears nothing, so that only the slow timer helps. */
export const deaf: Listener = { onChanged: () => () => undefined, stop: async () => undefined }

/** A relay with the parts that a test does not care about. */
export function testRelay(store: Store, parts: Partial<RelayDeps> = {}): Relay {
  return startRelay({
    store,
    listener: deaf,
    clock: systemClock,
    log: openLog('silent'),
    random: systemRandom,
    instance: 'one',
    onNumbered: [],
    announce: () => undefined,
    ...parts,
  })
}

/** What an account was told, in order. */
export async function numberedEvents(
  store: Store,
  accountId: AccountId,
): Promise<readonly NumberedEvent[]> {
  const rows = await store.inTransaction(accountId, (tx) =>
    tx.query<EventRunRow>(
      'test_events',
      'select * from event_runs where account_id = $1 order by last_sequence',
      [accountId],
    ),
  )
  return rows.flatMap(eventsOf)
}
