// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /payment/history/{walletAddress}. */
export interface PaymentHistoryQuery {
  /** `sent`: the address paid. `received`: it was paid. */
  readonly type?: 'sent' | 'received' | 'all' | undefined
  /** Payments on a page. */
  readonly limit?: number | undefined
  /**
   * Payments to skip. A cursor costs the same at any depth, and new payments do not shift
   * it.
   */
  readonly offset?: number | undefined
  /** `nextCursor` of the page before; not together with `offset`. */
  readonly cursor?: string | undefined
  /** Only those that stand there now. */
  readonly status?: 'pending' | 'confirmed' | 'settled' | 'failed' | 'expired' | undefined
  /** Created at this time or later: Unix milliseconds. */
  readonly from?: number | undefined
  /** Created before this time: Unix milliseconds. */
  readonly to?: number | undefined
  /** What was paid for, spelled as it was sent. */
  readonly resource?: string | undefined
  /** CAIP-2, or an x402 v1 name. */
  readonly network?: string | undefined
}

/**
 * What an address has sent and received, newest first: the answer of GET
 * /payment/history/{walletAddress}.
 */
export interface PaymentHistoryAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** The address in its one canonical spelling. */
  readonly walletAddress: string
  /** What was asked for. */
  readonly type: 'sent' | 'received' | 'all'
  /** Newest first. */
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
  readonly total: number | null
  /** What was asked for. */
  readonly limit: number
  /** What was asked for. */
  readonly offset: number
  /** Whether another page follows. */
  readonly hasMore: boolean
  /** The `cursor` of the next page; null on the last one. */
  readonly nextCursor: string | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
