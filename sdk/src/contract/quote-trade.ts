// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /trade/quote. */
export interface QuoteTradeQuery {
  /** `buy`: native currency goes in. `sell`: tokens. */
  readonly side: 'buy' | 'sell'
  /** The token: its mint, or its address on EVM. */
  readonly mint: string
  /**
   * How much less than quoted may come out, in percent; 10 when left out. The chain itself
   * refuses to give less.
   */
  readonly slippage?: string | number | undefined
  /** The same in hundredths of a percent; instead of `slippage`. */
  readonly slippageBps?: number | undefined
  /** CAIP-2, or an x402 v1 name; else the default network of the address’s family. */
  readonly network?: string | undefined
  /**
   * What goes in, whole units: native currency, or tokens; of a sale also a part of what a
   * wallet has, such as `50%`.
   */
  readonly amount: string | number
  /** The wallet of whose tokens a part is meant; any address. Only a part needs it. */
  readonly publicKey?: string | undefined
  /** The same under its other name; one of both. */
  readonly walletAddress?: string | undefined
}

/** What a token would cost, or bring, at this moment: the answer of GET /trade/quote. */
export interface QuoteTradeAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** As it was asked. */
  readonly side: 'buy' | 'sell'
  /** CAIP-2 id. */
  readonly network: string
  /** The token in its one canonical spelling. */
  readonly mint: string
  /** What its chain calls it; null when it does not say. */
  readonly symbol: string | null
  /** Of the token. */
  readonly decimals: number
  /** What would go in, whole units. */
  readonly amount: string
  /** The same, exactly, in the smallest unit. */
  readonly amountBaseUnits: string
  /** Of a buy: what would come out now, in tokens. */
  readonly estimatedTokensReceived?: string
  /** Of a sale: what would come out now, in native currency. */
  readonly estimatedReceived?: string
  /** The same, exactly, in the smallest unit. */
  readonly estimatedBaseUnits: string
  /** Native currency per token at this estimate. */
  readonly estimatedPrice: string
  /**
   * How much worse that is than the market’s price for next to nothing, in percent; null
   * when nobody can know.
   */
  readonly priceImpact: string | null
  /** The least that the chain may give, whole units. */
  readonly minimumReceived: string
  /** The same, exactly, in the smallest unit. */
  readonly minimumReceivedBaseUnits: string
  /** Percent, as it was asked for. */
  readonly slippage: string
  /** Which market gives it. */
  readonly venue: string
  /** Block, or slot on Solana, whose state it was computed from. */
  readonly quotedHeight: number
  /** Until when the market stands by it, Unix milliseconds; null: it promises nothing. */
  readonly expiresAt: number | null
  /** Present, and true, when it happened on a sandbox chain. */
  readonly sandbox?: true
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
