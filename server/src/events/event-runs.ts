import type { AccountId, EventId } from '../kernel/id.ts'
import { idAfter } from '../kernel/successive-id.ts'
import type { NumberedEvent } from './event.ts'
import { readFacts } from './facts.ts'

/** Events of one account that became true in one transaction, and follow each other in numbers and in ids, as the database gives them. */
export interface EventRunRow {
  readonly account_id: AccountId
  readonly last_sequence: string
  readonly count: number
  readonly first_id: EventId
  readonly facts: string
  readonly created_at: Date
}

/** The events of a run, in order. */
export function eventsOf(row: EventRunRow): readonly NumberedEvent[] {
  const facts = readFacts(row.facts)
  if (facts.length !== row.count)
    throw new Error('a run holds another number of facts than it says')
  const before = Number(row.last_sequence) - facts.length
  const createdAtMilliseconds = row.created_at.getTime()
  return facts.map((fact, place) => ({
    ...fact,
    accountId: row.account_id,
    sequence: before + place + 1,
    id: idAfter(row.first_id, place),
    createdAtMilliseconds,
  }))
}
