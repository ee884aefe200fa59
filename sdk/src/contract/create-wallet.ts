// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /wallets. */
export interface CreateWalletBody {
  /** Which kind of chain it is for. */
  readonly family: 'evm' | 'solana'
  /** What you call it. */
  readonly label?: string | undefined
}

/** Make a wallet whose key the service holds: the answer of POST /wallets. */
export interface CreateWalletAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the wallet: wal_ and 22 characters. */
  readonly walletId: string
  /** Where it is paid, and what requests call it. */
  readonly address: string
  /** It works on every enabled network of this family. */
  readonly family: 'evm' | 'solana'
  /** What you called it. */
  readonly label: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Present, and true, when it pays on a sandbox chain only. */
  readonly sandbox?: true
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
