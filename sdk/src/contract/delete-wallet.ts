// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** Delete a wallet that is empty and idle: the answer of DELETE /wallets/{address}. */
export interface DeleteWalletAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the wallet that was. */
  readonly walletId: string
  /** It is never given out again. */
  readonly address: string
  /** Unix milliseconds. */
  readonly deletedAt: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
