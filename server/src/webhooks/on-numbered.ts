import type { OnNumbered } from '../events/relay.ts'
import { notifyChanged } from '../store/listen.ts'
import { insertGivings } from './giving-store.ts'
import { GIVING } from './giving-name.ts'

/**
 * Notes for the endpoints that want to hear of them which events have their numbers, in the transaction that numbers them. One row for each account:
 * the events of all wait while this runs, so what an account's endpoints make of its events is none of it.
 */
export const noteForWebhooks: OnNumbered = async (tx, events) => {
  const ranges = [...Map.groupBy(events, ({ accountId }) => accountId)].map(([accountId, own]) => {
    const sequences = own.map(({ sequence }) => sequence)
    return {
      accountId,
      firstSequence: Math.min(...sequences),
      lastSequence: Math.max(...sequences),
      types: [...new Set(own.map(({ type }) => type))],
    }
  })
  if ((await insertGivings(tx, ranges)) > 0) await notifyChanged(tx, [GIVING])
}
