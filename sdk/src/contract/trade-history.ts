// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /trade/history/{publicKey}. */
export interface TradeHistoryQuery {
  /** Trades on a page. */
  readonly limit?: number | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** Only those of this token. */
  readonly mint?: string | undefined
}

/** What a wallet has traded, newest first: the answer of GET /trade/history/{publicKey}. */
export interface TradeHistoryAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** The address in its one canonical spelling. */
  readonly publicKey: string
  /** Newest first. */
  readonly trades: readonly {
    /** Name of the trade: trd_ and 22 characters. */
    readonly tradeId: string
    /** The payment that carries it: its record has attempts and finality. */
    readonly paymentId: string
    /**
     * The transaction that took effect, or the newest attempt while none has: a hash on EVM, a
     * signature on Solana.
     */
    readonly signature: string | null
    /** The wallet that trades. */
    readonly publicKey: string
    /** CAIP-2 id. */
    readonly network: string
    /** The token in its one canonical spelling. */
    readonly mint: string
    /** What its chain calls it; null when it does not say. */
    readonly symbol: string | null
    /**
     * What went in, whole units: native currency of a buy, tokens of a sale. What was offered,
     * until the market is seen to have taken it.
     */
    readonly amount: string
    /** The same, exactly, in the smallest unit. */
    readonly amountBaseUnits: string
    /**
     * Present where the market took a part only, since its liquidity ended: what was offered.
     * The rest is still there, or came back in the same transaction.
     */
    readonly offered?: string
    /** The same, exactly, in the smallest unit. */
    readonly offeredBaseUnits?: string
    /** The least that the chain may give, whole units. */
    readonly minimumReceived: string
    /** The same, exactly, in the smallest unit. */
    readonly minimumReceivedBaseUnits: string
    /** Native currency per token really paid, the network’s fee apart; null until it is known. */
    readonly effectivePrice: string | null
    /** Percent that was allowed. */
    readonly slippage: string
    /**
     * Percent less than quoted for what went in that really came, 0 when it was no less; null
     * until it is known.
     */
    readonly slippageUsed: string | null
    /** As it was quoted, in percent. */
    readonly priceImpact: string | null
    /**
     * What its transaction really paid to be included sooner, a part of `fee`: never more than
     * was offered, which `priorityFee` of the payment tells. An allowance before it is not
     * counted. Null until the trade took effect, where the chain does not tell, and for trades
     * seen by a version that did not note it.
     */
    readonly priorityFeeUsed: string | null
    /** What the network took, in native currency; null before that is known. */
    readonly fee: string | null
    /** Which market it was traded at. */
    readonly venue: string
    /** What is known of it now. */
    readonly status: 'pending' | 'confirmed' | 'settled' | 'failed' | 'expired'
    /** Block that holds it; slot on Solana. Null while none does. */
    readonly blockHeight: number | null
    /** Which way it went. */
    readonly side: 'buy' | 'sell'
    /** Tokens that really came in; null until that is seen. */
    readonly tokensReceived?: string | null
    /** The same, exactly, in the smallest unit. */
    readonly tokensReceivedBaseUnits?: string | null
    /** Tokens that were sold. */
    readonly tokensSold?: string
    /** The same, exactly, in the smallest unit. */
    readonly tokensSoldBaseUnits?: string
    /** Native currency that really came in; null until that is seen. */
    readonly received?: string | null
    /** The same, exactly, in the smallest unit. */
    readonly receivedBaseUnits?: string | null
    /** Unix milliseconds. */
    readonly createdAt: number
    /** When it was first seen on chain, Unix milliseconds. */
    readonly confirmedAt: number | null
    /** When it became final, Unix milliseconds. */
    readonly settledAt: number | null
    /**
     * When it failed or expired, Unix milliseconds; left out before that, and where an older
     * release did not note it.
     */
    readonly endedAt?: number
    /** Present, and true, when it was built here and is signed elsewhere. */
    readonly selfCustody?: true
    /** Why it failed; present when `status` is `failed`. */
    readonly failure?: {
      /** For programs. */
      readonly reason: string
      /** For people. */
      readonly message: string
    }
    /** Present, and true, when it happened on a sandbox chain. */
    readonly sandbox?: true
  }[]
  /** What was asked for. */
  readonly limit: number
  /** Whether another page follows. */
  readonly hasMore: boolean
  /** The `cursor` of the next page; null on the last one. */
  readonly nextCursor: string | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
