/** The outbox as a table of facts, one row each, for a `from`: `id`, `nth`, `account_id`, `type`, `resource_id` and `data`. */
export const OUTBOX_FACTS = `(
  select id, nth, account_id, fact ->> 'type' as type, fact ->> 'resourceId' as resource_id, fact -> 'data' as data
  from outbox cross join lateral (
    select line::json as fact, nth from string_to_table(facts, E'\\n') with ordinality as each (line, nth)) as lines) as facts`

/** What is numbered as a table of facts, one row each, for a `from`: `sequence`, `nth` in its run, and the columns as above. */
export const EVENT_FACTS = `(
  select last_sequence - count + nth as sequence, nth, account_id, fact ->> 'type' as type, fact ->> 'resourceId' as resource_id,
    fact -> 'data' as data
  from event_runs cross join lateral (
    select line::json as fact, nth from string_to_table(facts, E'\\n') with ordinality as each (line, nth)) as lines) as events`

/** A fact as the text of a row, in SQL: a payment's id and what its status is said to be. */
export const paymentFact = (id: string, status: string) =>
  `format('{"type":"payment","resourceId":%s,"data":{"status":%s}}', to_json(${id}), to_json(${status}::text))`

/** The same of a call to an escrow. */
export const escrowCallFact = (id: string, status: string) =>
  `format('{"type":"escrowCall","resourceId":%s,"data":{"status":%s}}', to_json(${id}), to_json(${status}::text))`
