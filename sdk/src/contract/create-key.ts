// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /keys. */
export interface CreateKeyBody {
  /** What the key is for. */
  readonly name: string
  /**
   * What it may do; no scope includes another. A session gives no scope that its role has
   * not.
   */
  readonly scopes: readonly ('read' | 'write' | 'settle' | 'trade' | 'admin')[]
  /** When it ends; left out, never. */
  readonly expiresAt?: number | undefined
}

/** Make an API key: the answer of POST /keys. */
export interface CreateKeyAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the key: key_ and 22 characters. Not the key itself. */
  readonly keyId: string
  /** What the key is for. */
  readonly name: string
  /** The end of the key, by which people tell their keys apart. */
  readonly lastFour: string
  /** `test` in a sandbox. */
  readonly mode: 'live' | 'test'
  /** The plan that it has. */
  readonly plan: 'standard' | 'premium' | 'enterprise'
  /** What it may do. */
  readonly scopes: readonly ('read' | 'write' | 'settle' | 'trade' | 'admin')[]
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Null when never; to the minute. */
  readonly lastUsedAt: number | null
  /** Null: never. */
  readonly expiresAt: number | null
  /** The key. Shown this once; null when the request was repeated under its idempotency key. */
  readonly key: string | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
