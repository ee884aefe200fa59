// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** Delete an API key: the answer of DELETE /keys/{keyId}. */
export interface DeleteKeyAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the key that was. */
  readonly keyId: string
  /** Unix milliseconds. */
  readonly deletedAt: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
