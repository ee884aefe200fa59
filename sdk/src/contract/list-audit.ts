// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /audit. */
export interface ListAuditQuery {
  /** How many at most. */
  readonly limit?: number | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** Who changed what in the account: the answer of GET /audit. */
export interface ListAuditAnswer {
  /** An error has `false` here. */
  readonly success: true
  readonly entries: readonly {
    /** Name of the entry: aud_ and 22 characters. */
    readonly auditId: string
    /** Unix milliseconds. */
    readonly at: number
    /** What kind of actor it was. */
    readonly actor: 'member' | 'key' | 'system'
    /** The member or the key; null for the service itself. */
    readonly actorId: string | null
    /** What it was called then; null when that was nothing. */
    readonly actorName: string | null
    /** What was done, such as `key.created`. */
    readonly action: string
    /** The thing that it was done to. */
    readonly object: string | null
    /** From which address; null for the service itself. */
    readonly address: string | null
    /** The request; null for the service itself. */
    readonly requestId: string | null
    /** More about it, never a secret. */
    readonly details: Readonly<Record<string, unknown>>
  }[]
  /** For the next page; null on the last. */
  readonly nextCursor: string | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
