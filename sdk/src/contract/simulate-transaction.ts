// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /transaction/simulate. */
export interface SimulateTransactionBody {
  /**
   * Base64. Solana: a whole transaction, `solana-v0`. EVM: what is signed, or with its
   * signature, as `eth_sendRawTransaction` takes it.
   */
  readonly transaction: string
  /** Who would sign, where the bytes do not say it: EVM, unsigned. */
  readonly walletAddress?: string | undefined
  /**
   * CAIP-2, or an x402 v1 name. Left out, the default network of the family of
   * `walletAddress`.
   */
  readonly network?: string | undefined
}

/**
 * What a transaction would do if it were sent now: the answer of POST
 * /transaction/simulate.
 */
export interface SimulateTransactionAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** CAIP-2 id. */
  readonly network: string
  /** Whether it would take effect if it were sent now. */
  readonly succeeds: boolean
  /** Why it would not, in plain words. */
  readonly error: string | null
  /** What balances would do, without the fee of the network. */
  readonly changes: readonly {
    /** Whose balance. */
    readonly address: string
    /** `native`, or the address or mint of the token. */
    readonly asset: string
    readonly deltaBaseUnits: string
  }[]
  /** What the network would take, in native currency. */
  readonly fee: string
  /** All that the transaction does, read from its bytes alone. */
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
  /** Every signature is there and right. */
  readonly signed: boolean
  /** Present, and true, when it happened on a sandbox chain. */
  readonly sandbox?: true
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
