// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/**
 * Send one event again: the answer of POST
 * /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver.
 */
export interface RedeliverWebhookAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the delivery, also in the header Florin-Delivery. */
  readonly deliveryId: string
  /** The event, the same in every delivery of it. */
  readonly eventId: string
  /** The kind of event. */
  readonly type: 'payment' | 'verification' | 'settlement' | 'escrowCall' | 'webhook'
  /**
   * `waiting`: due now or later, or behind an earlier event of the same payment. `failed`:
   * given up.
   */
  readonly status: 'waiting' | 'delivered' | 'failed'
  /** The delivery that this one repeats; null for the first. */
  readonly redeliveryOf: string | null
  /** Requests so far. */
  readonly attempts: number
  /** Null when nothing is due, and while it stands behind another. */
  readonly nextAttemptAt: number | null
  /** Unix milliseconds. */
  readonly createdAt: number
  /** When it was delivered or given up; null before. */
  readonly endedAt: number | null
  /** The body of the request. */
  readonly event: Readonly<Record<string, unknown>>
  /** The last requests, oldest first. */
  readonly log: readonly {
    /** When it was sent, Unix milliseconds. */
    readonly at: number
    /** Where to. */
    readonly url: string
    /** HTTP status; null when there was no answer. */
    readonly status: number | null
    /** Why there was no answer; null when there was one. */
    readonly error: string | null
    /** How long it took. */
    readonly milliseconds: number
    /** The beginning of the answer, as text. */
    readonly answer: string
  }[]
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
