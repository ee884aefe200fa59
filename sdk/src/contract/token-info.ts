// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /token/info/{mint}. */
export interface TokenInfoQuery {
  /** CAIP-2, or an x402 v1 name; left out, the default network of the family of the address. */
  readonly network?: string | undefined
}

/** What is known of a token: the answer of GET /token/info/{mint}. */
export interface TokenInfoAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** The token in its one spelling. */
  readonly mint: string
  /** CAIP-2. */
  readonly network: string
  /** As the token says it; anybody may call a token anything. */
  readonly name: string | null
  /** The same, short. */
  readonly symbol: string | null
  /** Fraction digits of a whole token. */
  readonly decimals: number
  /** Whole tokens that exist. */
  readonly supply: string
  readonly supplyBaseUnits: string
  /** Native currency for one whole token. */
  readonly price: string | null
  /** US dollars for one whole token. */
  readonly priceUsd: string | null
  /** Block time of the reserves or the trade that the price is read from, Unix milliseconds. */
  readonly priceUpdatedAt: number | null
  /** Percent since a day ago. */
  readonly priceChange24h: string | null
  /** What the whole supply is worth at the price, in native currency. */
  readonly marketCap: string | null
  /** The same in US dollars. */
  readonly marketCapUsd: string | null
  /** What both sides of its pools are worth, in native currency. */
  readonly liquidity: string | null
  /** The same in the smallest native unit. */
  readonly liquidityBaseUnits: string | null
  /** Native currency that changed hands in 24 hours, of what was observed. */
  readonly volume24h: string | null
  /** The same in the smallest native unit. */
  readonly volume24hBaseUnits: string | null
  /** Addresses that hold some of it, where the chain can say. */
  readonly holders: number | null
  /** Who made the token. */
  readonly creator: string | null
  /** When it was made, Unix milliseconds. */
  readonly createdAt: number | null
  /** Address of a picture, as the token says it; nobody has looked at it. */
  readonly image: string | null
  /** Solana: who may make more of it; null also means nobody. */
  readonly mintAuthority: string | null
  /** Solana: who may freeze accounts of it; null also means nobody. */
  readonly freezeAuthority: string | null
  /** Solana, Token-2022: what it has. */
  readonly extensions: readonly string[]
  /** A local chain whose money is worth nothing. */
  readonly sandbox: boolean
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
