import type { AccountId, EventId } from '../kernel/id.ts'
import type { NumberedEvent } from './event.ts'

/** An event as the database gives it. */
export interface EventRow {
  readonly account_id: AccountId
  readonly sequence: string
  readonly id: EventId
  readonly type: NumberedEvent['type']
  readonly channel: NumberedEvent['channel']
  readonly resource_id: string
  readonly data_text: string
  readonly created_at: Date
}

export function eventOf(row: EventRow): NumberedEvent {
  return {
    accountId: row.account_id,
    sequence: Number(row.sequence),
    id: row.id,
    type: row.type,
    channel: row.channel,
    resourceId: row.resource_id,
    dataText: row.data_text,
    createdAtMilliseconds: row.created_at.getTime(),
  }
}
