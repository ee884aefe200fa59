// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The API keys of the account: the answer of GET /keys. */
export interface ListKeysAnswer {
  /** An error has `false` here. */
  readonly success: true
  readonly keys: readonly {
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
  }[]
  /** How many an account may have at once. */
  readonly liveMax: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
