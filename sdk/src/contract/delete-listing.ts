// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of DELETE /x402/catalogue. */
export interface DeleteListingQuery {
  /** The address as it is listed, with all its methods and tools. */
  readonly resource: string
}

/** Take a resource out of the catalogue: the answer of DELETE /x402/catalogue. */
export interface DeleteListingAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Its next settlement with the extension lists it anew. */
  readonly resource: string
  /** Unix milliseconds. */
  readonly deletedAt: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
