import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { seal, unseal } from './seal.ts'

/**
 * The port to whoever holds the key-encryption key: a cloud KMS, or this process. It is asked once per wallet
 * that is made or opened, never per signature, so it may be remote. `unwrap` throws SealBroken when the bytes
 * or the additional data are not those of `wrap`.
 */
export interface KeyWrapper {
  wrap(dataKey: SecretBytes, additionalData: Uint8Array): Promise<Uint8Array>
  unwrap(wrapped: Uint8Array, additionalData: Uint8Array): Promise<SecretBytes>
}

/** Wraps under a 32-byte key-encryption key that this process holds for its life. */
export function localKeyWrapper({
  keyEncryptionKey,
  random,
}: {
  keyEncryptionKey: SecretBytes
  random: Random
}): KeyWrapper {
  return {
    wrap: async (dataKey, additionalData) =>
      seal(keyEncryptionKey.reveal(), dataKey.reveal(), additionalData, random),
    unwrap: async (wrapped, additionalData) =>
      new SecretBytes(unseal(keyEncryptionKey.reveal(), wrapped, additionalData)),
  }
}
