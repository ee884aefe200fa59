import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** A fact about one account that leaves the house: written with the change itself, delivered later. */
export interface OutboxEvent {
  readonly accountId: AccountId
  readonly type: AccountEventType
  readonly resourceId: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The name of the one statement that adds to the outbox. */
export const OUTBOX_ADD = 'outbox_add'

/** Adds facts to the outbox inside the transaction that makes them true, in one statement whatever the count. */
export async function addToOutbox(
  tx: Tx,
  events: readonly OutboxEvent[],
  nowMilliseconds: number,
): Promise<void> {
  if (events.length === 0) return
  await tx.query(
    OUTBOX_ADD,
    `insert into outbox (account_id, type, resource_id, data, created_at)
     select account_id, type, resource_id, data, to_timestamp($2 / 1000.0)
     from json_to_recordset($1::json) as e (account_id text, type text, resource_id text, data json)`,
    [
      JSON.stringify(
        events.map((event) => ({
          account_id: event.accountId,
          type: event.type,
          resource_id: event.resourceId,
          data: event.data,
        })),
      ),
      nowMilliseconds,
    ],
  )
}
