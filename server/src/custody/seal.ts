import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Random } from '../kernel/random.ts'

const ALGORITHM = 'aes-256-gcm'
const LAYOUT_VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + NONCE_BYTES

/** Sealed bytes do not open: wrong key, wrong additional data, or a byte was changed. Which one cannot be told. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

/**
 * Encrypts under a 32-byte key with AES-256-GCM and a fresh 96-bit random nonce.
 * Layout: version (1 byte) || nonce (12) || ciphertext || tag (16). The version byte is authenticated too.
 * Source: NIST SP 800-38D; with random nonces one key may seal 2^32 texts, and ours seal a handful.
 */
export function seal(
  key: Uint8Array,
  plaintext: Uint8Array,
  additionalData: Uint8Array,
  random: Random,
): Uint8Array {
  const nonce = random.bytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(authenticated(additionalData))
  const ciphertext = cipher.update(plaintext)
  cipher.final()
  const sealed = new Uint8Array(HEADER_BYTES + ciphertext.length + TAG_BYTES)
  sealed[0] = LAYOUT_VERSION
  sealed.set(nonce, 1)
  sealed.set(ciphertext, HEADER_BYTES)
  sealed.set(cipher.getAuthTag(), HEADER_BYTES + ciphertext.length)
  return sealed
}

/** Opens what `seal` made under the same key and additional data. Throws SealBroken; erasing the answer is the caller's. */
export function unseal(
  key: Uint8Array,
  sealed: Uint8Array,
  additionalData: Uint8Array,
): Uint8Array {
  if (sealed.length < HEADER_BYTES + TAG_BYTES || sealed[0] !== LAYOUT_VERSION) {
    throw new SealBroken('not a sealed text of a known layout')
  }
  const tagAt = sealed.length - TAG_BYTES
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(1, HEADER_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(authenticated(additionalData))
  decipher.setAuthTag(sealed.subarray(tagAt))
  const plaintext = decipher.update(sealed.subarray(HEADER_BYTES, tagAt))
  try {
    decipher.final()
  } catch {
    plaintext.fill(0)
    throw new SealBroken('a sealed text does not open')
  }
  return plaintext
}

function authenticated(additionalData: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + additionalData.length)
  bytes[0] = LAYOUT_VERSION
  bytes.set(additionalData, 1)
  return bytes
}
