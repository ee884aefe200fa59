// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /keys/{keyId}/rotate. */
export interface RotateKeyBody {
  /** When the old key ends: 0 for at once; left out, when it is deleted. */
  readonly previousValidSeconds?: number | undefined
}

/** Make a key that takes the place of another: the answer of POST /keys/{keyId}/rotate. */
export interface RotateKeyAnswer {
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
  readonly previous: {
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
  }
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
