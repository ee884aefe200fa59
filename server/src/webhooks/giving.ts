import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { AccountId, WebhookId } from '../kernel/id.ts'

/** An endpoint as it was when events were numbered. */
export interface Listening {
  readonly id: WebhookId
  /** Empty: all of them. */
  readonly types: readonly AccountEventType[]
}

/** Events of one account that follow each other in numbers, and the endpoints that they have yet to be given out to. */
export interface Giving {
  readonly accountId: AccountId
  /** The event before the first of them. */
  readonly givenSequence: number
  readonly lastSequence: number
  readonly webhooks: readonly Listening[]
}

/** Events of one account that were numbered at once. */
export interface NumberedRange {
  readonly accountId: AccountId
  readonly firstSequence: number
  readonly lastSequence: number
  /** Of which types some are. */
  readonly types: readonly AccountEventType[]
}
