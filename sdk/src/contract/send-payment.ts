// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /payment/send. */
export interface SendPaymentBody {
  /** A wallet that your account holds in this service. */
  readonly walletAddress: string
  /** Where the money goes. */
  readonly recipientAddress: string
  /** Whole units of the asset. */
  readonly amount: string | number
  /** What the payment is for. */
  readonly resource?: string | undefined
  /** Your own facts; comes back as sent. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** Total priority fee of the transaction in native currency; automatic when left out. */
  readonly priorityFee?: string | number | undefined
  /** CAIP-2, or an x402 v1 name. */
  readonly network?: string | undefined
  /** `native`, a configured symbol, or the address of a configured asset. */
  readonly asset?: string | undefined
  /** How far the payment should have come before this answers. */
  readonly waitFor?: 'submitted' | 'confirmed' | 'settled' | undefined
  /** Seconds to wait. */
  readonly timeout?: number | undefined
}

/** Pay from a wallet that the service holds: the answer of POST /payment/send. */
export interface SendPaymentAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the payment: pay_ and 22 characters. */
  readonly paymentId: string
  /**
   * The transaction that took effect, or the newest attempt while none has: a hash on EVM, a
   * signature on Solana.
   */
  readonly signature: string | null
  /** CAIP-2 id. */
  readonly network: string
  /** `native`, or the canonical address or mint of the token. */
  readonly asset: string
  /** Whole units of the asset. */
  readonly amount: string
  /** The same, exactly, in the smallest unit of the asset. */
  readonly amountBaseUnits: string
  /** Whose money moves. */
  readonly sender: string
  /** Who gets it. */
  readonly recipient: string
  /** What is known of it now. */
  readonly status: 'pending' | 'confirmed' | 'settled' | 'failed' | 'expired'
  /** Block that holds the effect; slot on Solana. Null while none does. */
  readonly blockHeight: number | null
  /** What the network really took, in native currency; null before that is known. */
  readonly fee: string | null
  /** What was paid for, as it was sent. */
  readonly resource: string | null
  /** Your own facts, as they were sent. */
  readonly metadata: Readonly<Record<string, unknown>> | null
  /** For people: "2-5 seconds". */
  readonly estimatedConfirmation: string | null
  /** Present, and true, when it happened on a sandbox chain. */
  readonly sandbox?: true
  /** What the recipient shows to claim the payment; null when it has none. Keep it secret. */
  readonly paymentProof: string | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
