import { parseId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import type { NumberedEvent } from './event.ts'

const NAME = /^events:(acct_\w+):([1-9][0-9]{0,15})$/

/** What instances are told of new events: for each account the last number. */
export function eventsNames(events: readonly NumberedEvent[]): readonly string[] {
  const last = new Map(events.map(({ accountId, sequence }) => [accountId, sequence]))
  return [...last].map(([accountId, sequence]) => `events:${accountId}:${sequence}`)
}

/** Reads one of these names; undefined for a name of something else. */
export function readEventsName(
  name: string,
): { readonly accountId: AccountId; readonly sequence: number } | undefined {
  const [, account = '', sequence = ''] = NAME.exec(name) ?? []
  const accountId = parseId('acct', account)
  return accountId && { accountId, sequence: Number(sequence) }
}
