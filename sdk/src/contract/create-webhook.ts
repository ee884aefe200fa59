// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /webhooks. */
export interface CreateWebhookBody {
  /** Where events are sent. It must be https outside the sandbox. */
  readonly url: string
  /** Which events are sent; left out or empty, all of them. */
  readonly types?:
    readonly ('payment' | 'verification' | 'settlement' | 'escrowCall' | 'webhook')[] | undefined
  /** What you call it; empty for nothing. */
  readonly description?: string | undefined
  /** While false nothing is sent, and new events are passed over. */
  readonly enabled?: boolean | undefined
}

/** Have events sent to an address of yours: the answer of POST /webhooks. */
export interface CreateWebhookAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the webhook. */
  readonly webhookId: string
  /** Where events are sent. */
  readonly url: string
  /** Which events; empty for all. */
  readonly types: readonly ('payment' | 'verification' | 'settlement' | 'escrowCall' | 'webhook')[]
  /** What you called it. */
  readonly description: string | null
  /** Whether you want events to be sent. */
  readonly enabled: boolean
  /**
   * `paused`: it failed for a day or answered 410, and what is due waits until you set
   * `enabled: true`. `disabled`: you set `enabled: false`.
   */
  readonly status: 'active' | 'paused' | 'disabled'
  /** The first failure since the last success; null when the last attempt succeeded. */
  readonly failingSince: number | null
  /** Null unless it is paused. */
  readonly pausedAt: number | null
  /** `failing`: nothing but failures for a day. `gone`: it answered 410. */
  readonly pauseReason: 'failing' | 'gone' | null
  /** Until when the secret before the last rotation signs as well; null when there is none. */
  readonly previousSecretExpiresAt: number | null
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Unix milliseconds. */
  readonly updatedAt: number
  /**
   * Signs what is sent. Shown this once, and again when the request is repeated under its
   * idempotency key; null when it signs no more by then.
   */
  readonly secret: string | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
