// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The body of POST /addresses. */
export interface RegisterAddressBody {
  /** The address that signed. */
  readonly address: string
  /** The text as it was answered. */
  readonly challenge: string
  /** EVM: 65 bytes in hex. Solana: 64 bytes in base58 or base64. */
  readonly signature: string
  /** What you call it. */
  readonly label?: string | undefined
}

/** Register a receiving address by its signature: the answer of POST /addresses. */
export interface RegisterAddressAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Who is paid. */
  readonly address: string
  /** It counts on every network of this family. */
  readonly family: 'evm' | 'solana'
  /** What you called it. */
  readonly label: string | null
  /** Unix milliseconds. */
  readonly registeredAt: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
