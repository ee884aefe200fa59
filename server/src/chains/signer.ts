/**
 * A key that signs for one address; what custody hands to a chain.
 * EVM: `payload` is the 32-byte digest and the answer 65 bytes r || s || yParity with low s.
 * Solana: `payload` is the message and the answer the 64-byte ed25519 signature.
 */
export interface Signer {
  readonly address: string
  sign(payload: Uint8Array): Promise<Uint8Array>
}
