/** What we need of a secp256k1 implementation. Both engines sign as RFC 6979 says, so they give the same bytes. */
export interface Curve {
  /** r || s (64 bytes, low s) and which of the four candidate points it recovers to. Throws on an invalid key. */
  sign(digest: Uint8Array, privateKey: Uint8Array): { rs: Uint8Array; recovery: number }
  /** The uncompressed public key (65 bytes), or undefined when the signature fits no key. */
  recover(digest: Uint8Array, rs: Uint8Array, recovery: 0 | 1): Uint8Array | undefined
  /** The uncompressed public key (65 bytes). Throws on an invalid key. */
  publicKey(privateKey: Uint8Array): Uint8Array
}
