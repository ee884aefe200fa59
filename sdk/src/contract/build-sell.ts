// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /transaction/sell. */
export interface BuildSellBody {
  /** The wallet that trades. Any address; this service needs no key of it. */
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
  /** Tokens to sell, or a part of what the wallet has, such as `"50%"`. */
  readonly amount?: string | number | undefined
  /** True: everything that the wallet has, and no `amount`. */
  readonly sellAll?: boolean | undefined
  /** Total priority fee of the transaction in native currency; automatic when left out. */
  readonly priorityFee?: string | number | undefined
}

/** Build a sale that your own wallet signs: the answer of POST /transaction/sell. */
export interface BuildSellAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the trade: trd_ and 22 characters. */
  readonly tradeId: string
  /** Name of the payment: pay_ and 22 characters. */
  readonly paymentId: string
  /** What is known of the payment now. */
  readonly status: 'pending' | 'confirmed' | 'settled' | 'failed' | 'expired'
  /** Base64 of the unsigned transaction. */
  readonly transaction: string
  /**
   * `solana-v0`: a whole transaction of version 0 whose missing signatures are zeros.
   * `eip1559-rlp`: what an EIP-1559 signature is over.
   */
  readonly format: 'solana-v0' | 'eip1559-rlp'
  /** CAIP-2 id. */
  readonly network: string
  /** Solana: the last block height that takes it. EVM: the height expected at `expiresAt`. */
  readonly lastValidBlockHeight: number
  /** Until when it should be signed and sent, Unix milliseconds. */
  readonly expiresAt: number
  /**
   * False: the chain still takes it later. It ends only when another transaction uses its
   * nonce.
   */
  readonly expiryEnforcedByChain: boolean
  /** All that the transaction does. */
  readonly summary: {
    /** Who pays the network; null on EVM before the signature. */
    readonly feePayer: string | null
    readonly transfers: readonly {
      /** `native`, or the address or mint of the token. */
      readonly asset: string
      /** Null: whoever signs. */
      readonly from: string | null
      /** Who gets it. */
      readonly to: string
      /** In the smallest unit of the asset. */
      readonly amountBaseUnits: string
    }[]
    /** What the chain will show of payments of this service. */
    readonly commitments: readonly string[]
    /** Solana: token accounts that it makes where they are missing. */
    readonly createsAccounts: readonly {
      /** The token account. */
      readonly account: string
      /** Whose it is. */
      readonly owner: string
      /** The mint. */
      readonly asset: string
    }[]
    /** Everything else that it does, in plain words. Empty: nothing. */
    readonly others: readonly string[]
  }
  /** The most that the network may take, in native currency. */
  readonly fee: string
  /** Of it, what is offered to be included sooner. */
  readonly priorityFee: string
  /** Of it, rent of a token account that it may have to make. */
  readonly accountRent: string
  /** EVM only: the same, field by field. */
  readonly unsigned?: {
    /** Whom the transaction calls. */
    readonly to: string
    /** Wei. */
    readonly value: string
    /** Call data. */
    readonly data: string
    readonly nonce: number
    readonly gas: string
    /** Wei. */
    readonly maxFeePerGas: string
    /** Wei. */
    readonly maxPriorityFeePerGas: string
    readonly chainId: number
  }
  /**
   * What the recipient shows to claim the payment, worth nothing before it is on chain. Null
   * when the chain cannot show it. Keep it secret.
   */
  readonly paymentProof: string | null
  /** For people: "2-5 seconds". */
  readonly estimatedConfirmation: string
  /** Present, and true, when it happened on a sandbox chain. */
  readonly sandbox?: true
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
  /**
   * EVM, a sale whose market may not take the tokens yet: sign and send this first. It
   * allows exactly the amount.
   */
  readonly approval?: {
    /** Base64 of the unsigned transaction. */
    readonly transaction: string
    /**
     * `solana-v0`: a whole transaction of version 0 whose missing signatures are zeros.
     * `eip1559-rlp`: what an EIP-1559 signature is over.
     */
    readonly format: 'solana-v0' | 'eip1559-rlp'
    /** All that the transaction does. */
    readonly summary: {
      /** Who pays the network; null on EVM before the signature. */
      readonly feePayer: string | null
      readonly transfers: readonly {
        /** `native`, or the address or mint of the token. */
        readonly asset: string
        /** Null: whoever signs. */
        readonly from: string | null
        /** Who gets it. */
        readonly to: string
        /** In the smallest unit of the asset. */
        readonly amountBaseUnits: string
      }[]
      /** What the chain will show of payments of this service. */
      readonly commitments: readonly string[]
      /** Solana: token accounts that it makes where they are missing. */
      readonly createsAccounts: readonly {
        /** The token account. */
        readonly account: string
        /** Whose it is. */
        readonly owner: string
        /** The mint. */
        readonly asset: string
      }[]
      /** Everything else that it does, in plain words. Empty: nothing. */
      readonly others: readonly string[]
    }
    /** The most that the network may take, in native currency. */
    readonly fee: string
    /** EVM only: the same, field by field. */
    readonly unsigned?: {
      /** Whom the transaction calls. */
      readonly to: string
      /** Wei. */
      readonly value: string
      /** Call data. */
      readonly data: string
      readonly nonce: number
      readonly gas: string
      /** Wei. */
      readonly maxFeePerGas: string
      /** Wei. */
      readonly maxPriorityFeePerGas: string
      readonly chainId: number
    }
  }
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
