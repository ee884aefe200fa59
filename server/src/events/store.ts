import type { Tx } from '../store/postgres.ts'
import { columnsOf, RUN_END, runsOf } from './fact-runs.ts'
import { factsText } from './facts.ts'
import type { OutboxEvent } from './facts.ts'

/** The name of the one statement that adds to the outbox. */
export const OUTBOX_ADD = 'outbox_add'

/**
 * Adds facts to the outbox inside the transaction that makes them true, in one statement whatever the count. Those of one account are one row: what
 * follows from them is work for each row.
 */
export async function addToOutbox(
  tx: Tx,
  events: readonly OutboxEvent[],
  nowMilliseconds: number,
): Promise<void> {
  if (events.length === 0) return
  const runs = runsOf(events)
  const texts = runs.map(({ facts }) => factsText(facts))
  await tx.query(
    OUTBOX_ADD,
    `insert into outbox (account_id, count, facts, created_at)
     select account_id, count, facts, to_timestamp($4 / 1000.0)
     from unnest($1::text[], $2::int[], string_to_array($3, $5)) as run (account_id, count, facts)`,
    [...columnsOf(runs, texts), nowMilliseconds, RUN_END],
  )
}
