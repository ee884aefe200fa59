// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /events. */
export interface ListEventsQuery {
  /** The id of the last event that you have; left out, the oldest that is kept. */
  readonly after?: string | undefined
  /** Events on a page. */
  readonly limit?: number | undefined
  /** Begins so many events before the newest; not together with `after`. */
  readonly last?: number | undefined
}

/** Events after one that you have: the answer of GET /events. */
export interface ListEventsAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** In order, oldest first. */
  readonly events: readonly {
    /** Names this event for ever: what comes twice has the same. */
    readonly id: string
    /** What `data` tells of. */
    readonly type: 'payment' | 'verification' | 'settlement' | 'escrowCall' | 'webhook'
    /** The key that it is subscribed by. */
    readonly channel: 'payments' | 'verifications' | 'settlements' | 'escrowCalls' | 'webhooks'
    /** 1, 2, 3 and so on over all events of the account: a missing number is a missed event. */
    readonly sequence: number
    /** What happened; `sandbox: true` when no real money moved. */
    readonly data: Readonly<Record<string, unknown>>
    /** When it became true, Unix milliseconds. */
    readonly timestamp: number
  }[]
  /** Whether another page follows now. */
  readonly hasMore: boolean
  /**
   * The `after` of the next page: the last event of this one, or what was asked for. Null
   * before the first event.
   */
  readonly nextAfter: string | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
