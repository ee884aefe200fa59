// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The plan of the account, its limits and what was used of them: the answer of GET /usage. */
export interface GetUsageAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** The best plan that a key of the account has; of the account when it has none. */
  readonly plan: 'standard' | 'premium' | 'enterprise'
  readonly limits: {
    /** Of each key; null when unlimited. */
    readonly requestsPerMinute: number | null
    /** Keys at once. */
    readonly keys: number
    /** Wallets at once. */
    readonly wallets: number
    /** Registered addresses at once. */
    readonly receivingAddresses: number
    /** Webhooks at once. */
    readonly webhooks: number
    /** Open sockets; null when unlimited. */
    readonly eventSockets: number | null
    /** Of all sockets; null when unlimited. */
    readonly socketMessagesPerSecond: number | null
  }
  /** Every live key, oldest first. */
  readonly keys: readonly {
    /** Name of the key. */
    readonly keyId: string
    /** What it is for. */
    readonly name: string
    /** The end of the key. */
    readonly lastFour: string
    readonly plan: 'standard' | 'premium' | 'enterprise'
    /** Its limit; null when unlimited. */
    readonly requestsPerMinute: number | null
    /** Requests in its window now, as the instance that answers knows it. */
    readonly used: number
    /** When that window ends; null when none is open. */
    readonly resetsAt: number | null
  }[]
  /** The last 30 days, oldest first, today last; a few seconds behind. */
  readonly days: readonly {
    /** In UTC, such as 2026-09-21. */
    readonly day: string
    /** Requests that were let in. */
    readonly requests: number
  }[]
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
