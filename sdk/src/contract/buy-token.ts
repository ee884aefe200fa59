// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /trade/buy. */
export interface BuyTokenBody {
  /** The wallet that trades: one that your account holds in this service. */
  readonly publicKey?: string | undefined
  /** The same under its other name; one of both. */
  readonly walletAddress?: string | undefined
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
  /** Native currency to spend. */
  readonly amount: string | number
  /** Total priority fee of the transaction in native currency; automatic when left out. */
  readonly priorityFee?: string | number | undefined
  /** How far the trade should have come before this answers. */
  readonly waitFor?: 'submitted' | 'confirmed' | 'settled' | undefined
  /** Seconds to wait. */
  readonly timeout?: number | undefined
}

/** Buy a token from a wallet that the service holds: the answer of POST /trade/buy. */
export interface BuyTokenAnswer {
  /** An error has `false` here. */
  readonly success: true
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
  /** Tokens that really came in; null until that is seen. */
  readonly tokensReceived: string | null
  /** The same, exactly, in the smallest unit. */
  readonly tokensReceivedBaseUnits: string | null
  /** For people: "2-5 seconds". */
  readonly estimatedConfirmation: string | null
  /** Present, and true, when it happened on a sandbox chain. */
  readonly sandbox?: true
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
