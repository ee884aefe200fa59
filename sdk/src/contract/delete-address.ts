// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** Give a registered receiving address up: the answer of DELETE /addresses/{address}. */
export interface DeleteAddressAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Whoever comes first may claim payments for it again. */
  readonly address: string
  /** Unix milliseconds. */
  readonly deletedAt: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
