// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /payment/fetch. */
export interface FetchPaymentBody {
  /** A wallet that your account holds in this service; it pays. */
  readonly walletAddress: string
  /** What to ask for. */
  readonly url: string
  /** How to ask for it. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  /** At most 32, sent to the seller; twice when it is paid. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as it is, in UTF-8. */
  readonly body?: string | undefined
  /** The most that may be paid, whole units of the asset. */
  readonly maxAmount: string | number
  /** What it may be paid in: a configured symbol, or the address of a configured token. */
  readonly asset?: string | undefined
  /** CAIP-2, or an x402 v1 name. */
  readonly network?: string | undefined
  /** Your own facts; comes back as sent. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Ask a seller of x402, and pay what it wants within a ceiling: the answer of POST
 * /payment/fetch.
 */
export interface FetchPaymentAnswer {
  /** An error has `false` here. */
  readonly success: true
  /**
   * Whether money moved, by what the chain shows. `unknown`: the seller holds a payment that
   * it may still use.
   */
  readonly paid: boolean | 'unknown'
  /**
   * What was paid, or may be at most: whole units. Of `upto` what was taken, once the chain
   * shows it. 0 when nothing was signed.
   */
  readonly amount: string
  /** Present when something was signed. */
  readonly paymentId?: string
  /** The payment as it stands. */
  readonly payment?: {
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
  }
  /** What the seller answered; null when it did not, or its answer could not be kept. */
  readonly response: {
    /** HTTP status. */
    readonly status: number
    /** By lower-case name; the first ones when there are many. */
    readonly headers: Readonly<Record<string, string>>
    /**
     * The cookies that it sets, one by one, where it sets any: `headers` has them in one text,
     * which cannot be taken apart.
     */
    readonly setCookies?: readonly string[]
    /** At most 1 MB. */
    readonly body: string
    /** How `body` is written. */
    readonly bodyEncoding: 'utf8' | 'base64'
  } | null
  /** Why there is no response: `timeout`, `body_too_long`, ... */
  readonly problem?: string
  /**
   * Where `problem` is `body_too_long`: what the seller said of the answer that cannot be
   * handed on.
   */
  readonly lost?: {
    /** HTTP status. */
    readonly status: number
    /** Bytes of its body; null where it does not say. */
    readonly contentLength: number | null
    /** As it says it. */
    readonly contentType: string | null
  }
  /** What the seller says of the settlement, decoded. Nothing of it was believed. */
  readonly receipt?: Readonly<Record<string, unknown>>
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
