// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of PUT /wallets/{address}/policy. */
export interface SetWalletPolicyBody {
  /** When there are any, an asset without an entry may not be spent. */
  readonly limits?:
    | readonly {
        /** Left out, the first configured one of the family. */
        readonly network?: string | undefined
        /** `native`, a configured symbol, or the address of a configured asset. */
        readonly asset?: string | undefined
        /** The most that one payment may move. */
        readonly perPayment?: string | number | undefined
        /** The most within any 60 minutes. */
        readonly perHour?: string | number | undefined
        /** The most within any 24 hours. */
        readonly perDay?: string | number | undefined
        /** The most within any 30 days. */
        readonly perMonth?: string | number | undefined
      }[]
    | undefined
  /** When given, only these may be paid. */
  readonly recipients?: readonly string[] | undefined
  /** When given, a payment must name one of these resources. */
  readonly resources?: readonly string[] | undefined
}

/** Replace the spending policy of a wallet: the answer of PUT /wallets/{address}/policy. */
export interface SetWalletPolicyAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** The wallet that it holds for. */
  readonly address: string
  /** As it is in force; null when there is none. */
  readonly policy: {
    /** When there are any, an asset without an entry may not be spent. */
    readonly limits: readonly {
      /** CAIP-2 id. */
      readonly network: string
      /** `native`, or the address or mint of the token. */
      readonly asset: string
      /** The most that one payment may move, whole units. */
      readonly perPayment?: string
      /** The most that any 60 minutes may move, whole units. */
      readonly perHour?: string
      /** The most that any 24 hours may move, whole units. */
      readonly perDay?: string
      /** The most that any 30 days may move, whole units. */
      readonly perMonth?: string
    }[]
    /** Who may be paid; null when anybody may. */
    readonly recipients: readonly string[] | null
    /** What may be paid for; null when anything may. */
    readonly resources: readonly string[] | null
  } | null
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
