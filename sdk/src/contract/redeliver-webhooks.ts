// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /webhooks/{webhookId}/redeliver. */
export interface RedeliverWebhooksBody {
  /** The first to be sent again was recorded then or later. */
  readonly from: number
  /** The last was recorded before; left out, now. */
  readonly to?: number | undefined
  /** Which of them; what waits and what was itself sent again is not repeated. */
  readonly status?: 'failed' | 'delivered' | 'all' | undefined
  /** `nextAfter` of the answer before. */
  readonly after?: string | undefined
}

/**
 * Send the events of a range of time again: the answer of POST
 * /webhooks/{webhookId}/redeliver.
 */
export interface RedeliverWebhooksAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** How many will be sent again. */
  readonly redelivered: number
  /**
   * There are more: repeat the request with it as `after`. Without `to` the range ends at
   * the time of the first request. Null when these were all.
   */
  readonly nextAfter: string | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
