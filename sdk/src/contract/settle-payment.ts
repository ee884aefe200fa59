// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /payment/settle. */
export interface SettlePaymentBody {
  /** A payment that was begun before; with nothing but `timeout` beside it. */
  readonly paymentId?: string | undefined
  /** Your receiving address: who must be paid. */
  readonly walletAddress?: string | undefined
  /**
   * The value of the `X-PAYMENT` or `PAYMENT-SIGNATURE` header as it came, or a
   * `paymentProof` of this service.
   */
  readonly paymentProof?: string | undefined
  /** What the buyer was asked to pay, whole units of the asset. */
  readonly expectedAmount?: string | number | undefined
  /** What it is for. A proof for something else is refused. */
  readonly resource?: string | undefined
  /**
   * Who settles. Left out: this service, `{base_url}/x402`. Another one only if its operator
   * allows it.
   */
  readonly facilitatorUrl?: string | undefined
  /** CAIP-2, or an x402 v1 name. Left out, the one that the proof names. */
  readonly network?: string | undefined
  /** A configured symbol or address. Left out, the one that the proof names. */
  readonly asset?: string | undefined
  /** Seconds to wait. */
  readonly timeout?: number | undefined
}

/**
 * Settle a payment by its proof, or join one that was begun: the answer of POST
 * /payment/settle.
 */
export interface SettlePaymentAnswer {
  /** An error has `false` here. */
  readonly success: true
  readonly verified: true
  /** Name of the payment: pay_ and 22 characters. */
  readonly paymentId: string
  /** The transaction that moved the money: a hash on EVM, a signature on Solana. */
  readonly signature: string
  /** Which of the effects of that transaction it is. */
  readonly logIndex?: number
  /** CAIP-2 id. */
  readonly network: string
  /** `native`, or the canonical address or mint of the token. */
  readonly asset: string
  /** Whole units of the asset. */
  readonly amount: string
  /** The same, exactly, in the smallest unit of the asset. */
  readonly amountBaseUnits: string
  /** Who paid. */
  readonly sender: string
  /** Who was paid. */
  readonly recipient: string
  /** `confirmed` or `settled`. */
  readonly status: 'pending' | 'confirmed' | 'settled' | 'failed' | 'expired'
  /** Who settled it. */
  readonly facilitator: string
  /** What was paid for. */
  readonly resource: string | null
  /** Block that holds the effect; slot on Solana. */
  readonly blockHeight: number | null
  /**
   * For your answer to the buyer: the value of `X-PAYMENT-RESPONSE` (v1) or
   * `PAYMENT-RESPONSE` (v2).
   */
  readonly paymentResponse: string
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
