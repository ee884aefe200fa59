// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** The query of GET /addresses/challenge. */
export interface ChallengeAddressQuery {
  /** The address that you want to register. */
  readonly address: string
}

/** The text to sign for a receiving address: the answer of GET /addresses/challenge. */
export interface ChallengeAddressAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** The address in its one canonical spelling. */
  readonly address: string
  readonly family: 'evm' | 'solana'
  /**
   * Sign exactly this text: `personal_sign` (EIP-191) on EVM, the UTF-8 bytes with Ed25519
   * on Solana.
   */
  readonly challenge: string
  /** Until then the signature is taken, Unix milliseconds. */
  readonly expiresAt: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
