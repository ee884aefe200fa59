// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The registered receiving addresses of the account: the answer of GET /addresses. */
export interface ListAddressesAnswer {
  /** An error has `false` here. */
  readonly success: true
  readonly addresses: readonly {
    /** Who is paid. */
    readonly address: string
    /** It counts on every network of this family. */
    readonly family: 'evm' | 'solana'
    /** What you called it. */
    readonly label: string | null
    /** Unix milliseconds. */
    readonly registeredAt: number
  }[]
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
