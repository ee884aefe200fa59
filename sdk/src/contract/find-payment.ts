// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /payment/find. */
export interface FindPaymentQuery {
  /** A transaction on chain, or any attempt at one. */
  readonly signature?: string | undefined
  /** A paymentProof of this service. */
  readonly proof?: string | undefined
  /** Nonce of an EVM transaction; with network and sender. */
  readonly nonce?: number | undefined
  /** CAIP-2, or an x402 v1 name. */
  readonly network?: string | undefined
  /** The address that signed. */
  readonly sender?: string | undefined
}

/** The payments behind a transaction, a proof or a nonce: the answer of GET /payment/find. */
export interface FindPaymentAnswer {
  /** An error has `false` here. */
  readonly success: true
  readonly payments: readonly {
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
    /** Which side of it this record is. */
    readonly type: 'sent' | 'received'
    /**
     * Total priority fee that the first attempt offers in native currency: as you set it, else
     * as it was chosen for you; of what you sign, what was built. Null where this service
     * offers none: for what you received, and for a purchase, whose seller sends it.
     */
    readonly priorityFee: string | null
    /** Blocks that hold or build on the effect; the including one is the first. */
    readonly confirmations: number
    /** Blocks on top after which something may be released for it. */
    readonly releaseDepth: number | null
    /** The policy that decides `settled`. */
    readonly finality: string | null
    /**
     * Present, and true, when the chain took back what its policy called final. An operator is
     * looking.
     */
    readonly finalityViolated?: true
    /** Present, and true, when it was built here and is signed elsewhere. */
    readonly selfCustody?: true
    /** The trade that it carries; present when it carries one. */
    readonly tradeId?: string
    /**
     * Present, and true, when you gave the built transaction up. The chain still decides the
     * status.
     */
    readonly abandoned?: true
    /** What the chain showed instead of what was asked for or built; whatever the status. */
    readonly remark?: {
      /** For programs. */
      readonly reason: string
      /** For people. */
      readonly message: string
    }
    /** Unix milliseconds. */
    readonly createdAt: number
    /** When its effect was first seen, Unix milliseconds. */
    readonly confirmedAt: number | null
    /** When its effect became final, Unix milliseconds. */
    readonly settledAt: number | null
    /**
     * When it failed or expired, Unix milliseconds; left out before that, and where an older
     * release did not note it.
     */
    readonly endedAt?: number
    /** Why it failed; present when `status` is `failed`. */
    readonly failure?: {
      /** For programs. */
      readonly reason: string
      /** For people. */
      readonly message: string
    }
  }[]
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
