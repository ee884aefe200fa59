// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /tokens. */
export interface ListTokensQuery {
  /** CAIP-2, or an x402 v1 name; left out, all networks. */
  readonly network?: string | undefined
  /** Tokens of each network. */
  readonly limit?: number | undefined
}

/** The tokens that the networks’ markets trade: the answer of GET /tokens. */
export interface ListTokensAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** By network, those first whose pools hold the most. */
  readonly tokens: readonly {
    /** The token. */
    readonly mint: string
    /** CAIP-2. */
    readonly network: string
    /** As the token says it; anybody may call a token anything. */
    readonly name: string | null
    /** The same, short. */
    readonly symbol: string | null
    /** Fraction digits of a whole token. */
    readonly decimals: number
    /** Native currency for one whole token. */
    readonly price: string | null
    /** US dollars for one whole token. */
    readonly priceUsd: string | null
    /** Percent since a day ago. */
    readonly priceChange24h: string | null
    /** What both sides of its pools are worth, in native currency. */
    readonly liquidity: string | null
    /** Native currency that changed hands in 24 hours, of what was observed. */
    readonly volume24h: string | null
  }[]
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
