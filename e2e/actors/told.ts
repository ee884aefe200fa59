/** Every event of a payment that is numbered or waits to be, as a table for tests; in order by `sequence, id` (nulls come last). */
export const TOLD = `(select resource_id, data, sequence, null::bigint as id from events where type = 'payment'
  union all select resource_id, data, null, id from outbox where type = 'payment') told`
