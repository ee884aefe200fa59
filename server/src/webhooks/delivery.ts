import type { AccountEventType } from '@florin/wire/event-types.ts'
import type { DeliveryStatus } from '@florin/wire/webhook.ts'
import type { AccountId, DeliveryId, EventId, WebhookId } from '../kernel/id.ts'

/** One request to an endpoint, as the owner may see it. */
export interface Attempt {
  readonly at: number
  readonly url: string
  /** Null when there was no answer. */
  readonly status: number | null
  /** Why there was none. */
  readonly error: string | null
  readonly milliseconds: number
  /** The beginning of the answer. */
  readonly answer: string
}

/** An event on its way to one endpoint. */
export interface Delivery {
  readonly id: DeliveryId
  readonly webhookId: WebhookId
  readonly eventId: EventId
  readonly type: AccountEventType
  readonly status: DeliveryStatus
  readonly redeliveryOf: DeliveryId | null
  readonly attempts: number
  readonly log: readonly Attempt[]
  /** The JSON text that is sent. */
  readonly body: string
  readonly dueAtMilliseconds: number | null
  readonly createdAtMilliseconds: number
  readonly endedAtMilliseconds: number | null
}

/** A delivery that is to be stored. */
export interface NewDelivery {
  readonly id: DeliveryId
  readonly accountId: AccountId
  readonly webhookId: WebhookId
  readonly eventId: EventId
  readonly type: AccountEventType
  /** What has to arrive in order: of one endpoint and lane one is under way at a time, the oldest. */
  readonly lane: string
  readonly redeliveryOf: DeliveryId | null
  readonly body: string
}

/** A delivery that an instance has taken, with what it needs to send it. */
export interface TakenDelivery {
  readonly id: DeliveryId
  readonly accountId: AccountId
  readonly webhookId: WebhookId
  readonly eventId: EventId
  readonly lane: string
  /** Says in the store that it is this taking, and no other, that goes on. */
  readonly lease: string
  readonly url: string
  readonly sealedSecret: Uint8Array
  /** The secret that was rotated out, while it still signs. */
  readonly sealedPrevious: Uint8Array | null
  readonly body: string
  /** Those before. */
  readonly attempts: number
  readonly log: readonly Attempt[]
  /** Since its first attempt, or since its endpoint was last resumed. */
  readonly ageMilliseconds: number
  /** The endpoint failed last, or was slow, or was never asked. */
  readonly isInTrouble: boolean
}
