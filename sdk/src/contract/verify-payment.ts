// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /v1/payments/verify. */
export interface VerifyPaymentBody {
  /**
   * The value of the `X-PAYMENT` or `PAYMENT-SIGNATURE` header as it came, or a
   * `paymentProof` of this service.
   */
  readonly payment_proof: string
  /** What the buyer was asked to pay, whole units of the asset. */
  readonly amount: string | number
  /** Your receiving address: who must be paid. */
  readonly recipient: string
  /**
   * Who would settle. Another one than this service is asked, too, if the operator allows
   * it.
   */
  readonly facilitator_url?: string | undefined
  /** CAIP-2, or an x402 v1 name. Left out, the one that the proof names. */
  readonly network?: string | undefined
  /** A configured symbol or address. Left out, the one that the proof names. */
  readonly asset?: string | undefined
}

/** Whether a proof would settle now: the answer of POST /v1/payments/verify. */
export interface VerifyPaymentAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Whether it would settle now. A statement, not a lock. */
  readonly valid: boolean
  /** Why not, in the words of x402. */
  readonly reason?: string
  /** Who pays, as far as it could be read. */
  readonly payer?: string
  /** Whole units of the asset. */
  readonly amount: string
  /** Who is paid. */
  readonly recipient: string
  /** CAIP-2 id. */
  readonly network: string
  /** `native`, or the canonical address or mint of the token. */
  readonly asset: string
  /** Your payment that has this proof already. */
  readonly paymentId?: string
  /** Where that payment stands. */
  readonly status?: 'pending' | 'confirmed' | 'settled' | 'failed' | 'expired'
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
