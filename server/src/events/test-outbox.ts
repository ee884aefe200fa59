import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Listener } from '../store/listen.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { NumberedEvent } from './event.ts'
import { eventsOf } from './event-runs.ts'
import type { EventRunRow } from './event-runs.ts'
import { holdRelay, numberNext, takeRelay } from './relay-store.ts'
import type { NumberedBatch } from './relay-store.ts'
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

/** One numbering by hand, under a lease of its own, of so many rows of the outbox at most. */
export const numberByHand = (store: Store, rowsMax = 20): Promise<NumberedBatch> =>
  store.inTransaction('service', async (tx) => {
    const lease = await takeRelay(tx, 'by-hand', 1)
    if (lease === undefined) throw new Error('somebody else numbers')
    await holdRelay(tx, lease.fence, 1)
    const ids = Array.from({ length: rowsMax }, () => newId(systemRandom, 'evt'))
    return numberNext(tx, ids)
  })

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
