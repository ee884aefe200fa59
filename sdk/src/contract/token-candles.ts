// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /token/candles/{mint}. */
export interface TokenCandlesQuery {
  /** CAIP-2, or an x402 v1 name; left out, the default network of the family of the address. */
  readonly network?: string | undefined
  /** Length of one candle. */
  readonly interval?: '1m' | '5m' | '1h' | '1d' | undefined
  /** Candles that begin then or later: Unix milliseconds. */
  readonly from?: number | undefined
  /** Candles that begin before: Unix milliseconds; left out, now. */
  readonly to?: number | undefined
  /** Candles at most; of more the newest. */
  readonly limit?: number | undefined
}

/** What the price of a token did: the answer of GET /token/candles/{mint}. */
export interface TokenCandlesAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** The token in its one spelling. */
  readonly mint: string
  /** CAIP-2. */
  readonly network: string
  /** Length of one candle. */
  readonly interval: '1m' | '5m' | '1h' | '1d'
  /** Oldest first. A stretch without a trade has none. */
  readonly candles: readonly {
    /** When it begins, Unix milliseconds. */
    readonly time: number
    /** Native currency for one whole token, of its first trade. */
    readonly open: string
    /** The highest. */
    readonly high: string
    /** The lowest. */
    readonly low: string
    /** Of its last trade. */
    readonly close: string
    /** Native currency that changed hands. */
    readonly nativeVolume: string
    /** The same in the smallest native unit. */
    readonly nativeVolumeBaseUnits: string
    /** How many. */
    readonly trades: number
  }[]
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
