// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /portfolio/{publicKey}. */
export interface PortfolioQuery {
  /** CAIP-2, or an x402 v1 name; left out, the default network of the family of the address. */
  readonly network?: string | undefined
}

/** What an address holds and what it is worth: the answer of GET /portfolio/{publicKey}. */
export interface PortfolioAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** The address in its one spelling. */
  readonly publicKey: string
  /** CAIP-2. */
  readonly network: string
  /** Whole native coins. */
  readonly nativeBalance: string
  readonly nativeBalanceBaseUnits: string
  /**
   * Native currency and everything that has a value in it; `unvalued` says how many tokens
   * are not in it.
   */
  readonly totalValue: string
  /** The same in the smallest native unit. */
  readonly totalValueBaseUnits: string
  /** The same in US dollars. */
  readonly totalValueUsd: string | null
  /** Tokens whose value nobody knows. */
  readonly unvalued: number
  /** What it holds; the most valuable first. */
  readonly tokens: readonly {
    /** The token. */
    readonly mint: string
    /** As the token says it; null when nobody has asked it yet. */
    readonly symbol: string | null
    /** Fraction digits of a whole token. */
    readonly decimals: number
    /** Whole tokens. */
    readonly balance: string
    readonly balanceBaseUnits: string
    /** Native currency for one whole token. */
    readonly price: string | null
    /**
     * The balance at the price, in native currency; null where its market could not pay that
     * much.
     */
    readonly value: string | null
    /** The same in the smallest native unit. */
    readonly valueBaseUnits: string | null
    /** The same in US dollars. */
    readonly valueUsd: string | null
  }[]
  /**
   * Configured assets, and tokens that your account traded from here, whose contract did not
   * tell the balance: unknown, not zero. Left out where there are none.
   */
  readonly unread?: readonly {
    /** The token. */
    readonly mint: string
    /** As the token says it; null when nobody has asked it yet. */
    readonly symbol: string | null
  }[]
  /** Block, or slot, of the balances. */
  readonly blockHeight: number
  /** A local chain whose money is worth nothing. */
  readonly sandbox: boolean
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
