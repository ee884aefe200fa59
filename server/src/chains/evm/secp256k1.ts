import type { Address } from '../chain.ts'
import { addressFromBytes } from './account.ts'
import type { Curve } from './curve.ts'
import { loadNativeCurve } from './curve-native.ts'
import { loadWasmCurve } from './curve-wasm.ts'
import { keccak256 } from './keccak.ts'

const HALF_ORDER = Buffer.from(
  '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0',
  'hex',
)
const WORD_BYTES = 32
const RS_BYTES = 64
const SIGNATURE_BYTES = 65

const native = loadNativeCurve()
const curve: Curve = native ?? (await loadWasmCurve())

/** Which engine signs here; worth a line in the log, because `wasm` has a third of the speed. */
export const engine: 'native' | 'wasm' = native === undefined ? 'wasm' : 'native'

/**
 * Signs a 32-byte digest: r || s || yParity, 65 bytes, low s, deterministic (RFC 6979).
 * Throws on an invalid key; the error names no key material.
 */
export function signDigest(
  digest: Uint8Array,
  privateKey: Uint8Array,
  using: Curve = curve,
): Uint8Array {
  requireWord(digest, 'digest')
  requireWord(privateKey, 'private key')
  const { rs, recovery } = using.sign(digest, privateKey)
  // 2 and 3 mean that r overflowed the group order: nobody has ever seen one, and type-2 bytes cannot say it.
  if (recovery !== 0 && recovery !== 1) throw new Error('a signature without a parity')
  const signature = new Uint8Array(SIGNATURE_BYTES)
  signature.set(rs)
  signature[RS_BYTES] = recovery
  return signature
}

/** The address that a private key signs for. Throws on an invalid key. */
export function addressOfPrivateKey(privateKey: Uint8Array, using: Curve = curve): Address {
  requireWord(privateKey, 'private key')
  return addressFromBytes(accountOf(using.publicKey(privateKey)))
}

/**
 * The address that signed a digest, or undefined. Only r || s || v with low s (EIP-2) and v of 0, 1, 27 or 28 counts:
 * the engines themselves also recover malleated twins, and one payment must not have two spellings.
 */
export function recoverAddress(
  digest: Uint8Array,
  signature: Uint8Array,
  using: Curve = curve,
): Address | undefined {
  const signer = recoverSigner(digest, signature, using)
  return signer === undefined ? undefined : addressFromBytes(signer)
}

/** The same as twenty raw bytes: how an address is spelled costs another hash. */
export function recoverSigner(
  digest: Uint8Array,
  signature: Uint8Array,
  using: Curve = curve,
): Uint8Array | undefined {
  const recovery = parityOf(signature[RS_BYTES])
  if (digest.length !== WORD_BYTES || recovery === undefined || !isOneOfAKind(signature)) {
    return undefined
  }
  const rs = signature.slice(0, RS_BYTES)
  const key = using.recover(digest, rs, recovery)
  return key === undefined ? undefined : accountOf(key)
}

/** Whether it has the one form that counts, whoever made it. Source: EIP-2. */
export function isOneOfAKind(signature: Uint8Array): boolean {
  return (
    signature.length === SIGNATURE_BYTES &&
    parityOf(signature[RS_BYTES]) !== undefined &&
    Buffer.compare(signature.subarray(WORD_BYTES, RS_BYTES), HALF_ORDER) <= 0
  )
}

/** The WebAssembly engine reads 32 bytes whatever it is given, and would fill up with what it signed before. */
function requireWord(bytes: Uint8Array, what: string): void {
  if (bytes.length !== WORD_BYTES) throw new RangeError(`a ${what} has ${WORD_BYTES} bytes`)
}

function parityOf(v: number | undefined): 0 | 1 | undefined {
  switch (v) {
    case 0:
    case 27:
      return 0
    case 1:
    case 28:
      return 1
    default:
      return undefined
  }
}

/** The twenty bytes of a public key's account. Source: the Yellow Paper, appendix F. */
function accountOf(uncompressed: Uint8Array): Uint8Array {
  return keccak256(uncompressed.subarray(1)).subarray(12)
}
