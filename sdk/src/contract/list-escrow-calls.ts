// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /x402/escrow-calls. */
export interface ListEscrowCallsQuery {
  /** Only calls of this kind. */
  readonly operation?: 'deposit' | 'claim' | 'settle' | 'refund' | undefined
  /** Only those that stand there now. */
  readonly status?: 'pending' | 'confirmed' | 'settled' | 'failed' | undefined
  /** Only those of this channel: 0x and 64 hex digits. */
  readonly channelId?: string | undefined
  /** Only the one that was sent by this transaction. */
  readonly transaction?: string | undefined
  /** Calls on a page. */
  readonly limit?: number | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/**
 * What was sent to the escrow of batch-settlement for this account, newest first: the
 * answer of GET /x402/escrow-calls.
 */
export interface ListEscrowCallsAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Newest first. */
  readonly calls: readonly {
    /** Name of the call: esc_ and 22 characters. */
    readonly callId: string
    /**
     * `deposit`: a payer pays into a channel. `claim`: vouchers are counted for receivers.
     * `settle`: a receiver is sent what was claimed. `refund`: a payer gets back what is left.
     */
    readonly operation: 'deposit' | 'claim' | 'settle' | 'refund'
    /** What is known of it now. */
    readonly status: 'pending' | 'confirmed' | 'settled' | 'failed'
    /** CAIP-2 id. */
    readonly network: string
    /** The token. */
    readonly asset: string
    /**
     * What it moves, in the smallest unit of the token: into the escrow, to what its receivers
     * may have, to its receiver, or back to the payer. Null until a block shows it; of a
     * deposit it is known before.
     */
    readonly amountBaseUnits: string | null
    /**
     * What a refund counted for the receiver before it gave back the rest; null of everything
     * else, and until a block shows it.
     */
    readonly claimedBaseUnits: string | null
    /** Whose money it is; null of a claim and of a settlement. */
    readonly payer: string | null
    /** Whom it is for; null of a claim for several. */
    readonly payTo: string | null
    /** The channel that it is about; null where it is about several, or none. */
    readonly channelId: string | null
    /** How many channels it is about. */
    readonly channelCount: number
    /** The transaction in a block, else the newest that was signed for it. */
    readonly transaction: string | null
    /** `amountBaseUnits` in whole units of the token. */
    readonly amount: string | null
    /** `claimedBaseUnits` in whole units. */
    readonly claimedAmount: string | null
    /** Its block; null while it is in none. */
    readonly blockHeight: number | null
    /** What the network took of the service, in native currency; null before that is known. */
    readonly fee: string | null
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
    /** Present, and true, when it happened on a sandbox chain. */
    readonly sandbox?: true
  }[]
  /** Whether another page follows. */
  readonly hasMore: boolean
  /** The `cursor` of the next page; null on the last one. */
  readonly nextCursor: string | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
