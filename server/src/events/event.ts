import type { AccountChannel, AccountEventType } from '@florin/wire/event-types.ts'
import type { AccountId, EventId } from '../kernel/id.ts'

/** A fact about one account that has its number: delivered at least once, in the order of its account's numbers. */
export interface NumberedEvent {
  readonly accountId: AccountId
  /** 1, 2, 3 and so on over all events of the account, without a gap. */
  readonly sequence: number
  readonly id: EventId
  readonly type: AccountEventType
  readonly channel: AccountChannel
  /** What it is about, such as a payment's id. */
  readonly resourceId: string
  /** The JSON text of its data, as it was written with the change. */
  readonly dataText: string
  /** When the fact became true. */
  readonly createdAtMilliseconds: number
}
