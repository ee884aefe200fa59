// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** Give a built transaction up: the answer of DELETE /transaction/{paymentId}. */
export interface AbandonTransactionAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the payment. */
  readonly paymentId: string
  readonly abandoned: true
  /** What the chain has shown so far. */
  readonly status: 'pending' | 'confirmed' | 'settled' | 'failed' | 'expired'
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
