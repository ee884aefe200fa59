import { EVENT_FACTS, OUTBOX_FACTS } from '../../server/src/events/test-facts.ts'

/** Every event of a payment that is numbered or waits to be, as a table for tests; in order by `sequence, id, nth` (nulls come last). */
export const TOLD = `(select resource_id, data, sequence, null::bigint as id, nth from ${EVENT_FACTS} where type = 'payment'
  union all select resource_id, data, null, id, nth from ${OUTBOX_FACTS} where type = 'payment') told`
