// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /transaction/receive. */
export interface ReceiveTransactionBody {
  /** Your receiving address: who must be paid, and whose own wallet settles it. */
  readonly walletAddress: string
  /**
   * The value of the `X-PAYMENT` or `PAYMENT-SIGNATURE` header as it came. Solana: the buyer
   * must have named `walletAddress` as fee payer.
   */
  readonly paymentProof: string
  /** What the buyer was asked to pay, whole units of the asset. */
  readonly expectedAmount: string | number
  /** What it is for. A proof for something else is refused. */
  readonly resource?: string | undefined
  /** Only the one of this service; your own wallet settles. */
  readonly facilitatorUrl?: string | undefined
  /**
   * Total priority fee of the transaction in native currency; automatic when left out. On
   * Solana the buyer has set it.
   */
  readonly priorityFee?: string | number | undefined
  /** CAIP-2, or an x402 v1 name. Left out, the one that the proof names. */
  readonly network?: string | undefined
  /** A configured symbol or address. Left out, the one that the proof names. */
  readonly asset?: string | undefined
}

/**
 * Build the settlement of a payment that your own wallet signs: the answer of POST
 * /transaction/receive.
 */
export interface ReceiveTransactionAnswer {
  /** An error has `false` here. */
  readonly success: true
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
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
