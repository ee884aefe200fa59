import { ACCOUNT_EVENTS } from '@florin/wire/event-types.ts'
import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { AccountId } from '../kernel/id.ts'
import type { NumberedEvent } from './event.ts'

/** A fact about one account that leaves the house: written with the change itself, delivered later. */
export interface OutboxEvent {
  readonly accountId: AccountId
  readonly type: AccountEventType
  readonly resourceId: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A fact as it was kept. */
export type KeptFact = Pick<NumberedEvent, 'type' | 'channel' | 'resourceId' | 'dataText'>

const LINE_END = '\n'
/** Where a line's data begins. Within the text before it quotes are escaped, so the first one is the right one. */
const DATA = ',"data":'

/** Facts as the text in which they are kept together: a line of JSON each, which holds no line end of its own. */
export function factsText(facts: readonly OutboxEvent[]): string {
  return facts
    .map(
      ({ type, resourceId, data }) =>
        `{"type":"${type}","resourceId":${JSON.stringify(resourceId)}${DATA}${JSON.stringify(data)}}`,
    )
    .join(LINE_END)
}

/**
 * Facts out of the text in which they are kept, in order. Their data is not read: who is sent it gets it to the letter. A type that only a newer
 * version knows is its own channel.
 */
export function readFacts(text: string): readonly KeptFact[] {
  return text.split(LINE_END).map(readFact)
}

function readFact(line: string): KeptFact {
  const at = line.indexOf(DATA)
  if (at === -1) throw new Error('a fact has no data')
  const { type, resourceId } = JSON.parse(`${line.slice(0, at)}}`) as FactHead
  return {
    ...{ type, resourceId },
    channel: ACCOUNT_EVENTS[type] ?? type,
    dataText: line.slice(at + DATA.length, -1),
  }
}

interface FactHead {
  readonly type: AccountEventType
  readonly resourceId: string
}
