import { createSHA256 } from 'hash-wasm'

// hash-wasm compiles its WebAssembly asynchronously; done once here so that every hash after it is synchronous,
// in Node and in browsers alike.
const hasher = await createSHA256()

const BLOCK_BYTES = 64

/** SHA-256 (FIPS 180-4): 32 bytes. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  hasher.init()
  for (const part of parts) hasher.update(part)
  return hasher.digest('binary')
}

/** HMAC-SHA-256 (RFC 2104): 32 bytes. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key)
  const inner = sha256(
    block.map((byte) => byte ^ 0x36),
    message,
  )
  return sha256(
    block.map((byte) => byte ^ 0x5c),
    inner,
  )
}
