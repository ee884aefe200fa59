// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /transaction/submit. */
export interface SubmitTransactionBody {
  /** Base64 of a transaction that was built for your account, with its signature. */
  readonly transaction: string
  /** Who signed; only says which network is meant. */
  readonly walletAddress?: string | undefined
  /**
   * CAIP-2, or an x402 v1 name. Left out, the default network of the family of
   * `walletAddress`.
   */
  readonly network?: string | undefined
}

/**
 * Send a built transaction that your wallet has signed: the answer of POST
 * /transaction/submit.
 */
export interface SubmitTransactionAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** The payment that it was built for. */
  readonly paymentId: string
  /** Its transaction: a hash on EVM, a signature on Solana. */
  readonly signature: string
  /** CAIP-2 id. */
  readonly network: string
  /** What is known of the payment now. */
  readonly status: 'pending' | 'confirmed' | 'settled' | 'failed' | 'expired'
  /** Whether a node took it; null when nobody can say, then send it again. */
  readonly accepted: boolean | null
  /** Why no node took it, for programs; null when one did. */
  readonly reason: string | null
  /**
   * Present, and true, when this was the allowance of a sale. It is stored and sent again
   * until the sale is seen, and not followed: `status` is of the sale.
   */
  readonly approval?: true
  /** Present, and true, when it happened on a sandbox chain. */
  readonly sandbox?: true
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
