import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { openRecent } from '../../kernel/recent.ts'
import type { Address } from '../chain.ts'
import { addressBytes, addressFromBytes } from './account.ts'

/** What stands before the 32 bytes of a private key in PKCS #8. Source: RFC 8410, section 7. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
/** What stands before the 32 bytes of a public key in SPKI. Source: RFC 8410, section 4. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const SEED_BYTES = 32
/** Public keys that are kept as the library reads them: making one is a quarter of what checking a signature costs. */
const KNOWN_KEYS_MAX = 10_000

const knownKeys = openRecent<KeyObject>(KNOWN_KEYS_MAX)

/** The address of a private key: its public key. Throws when the key has not 32 bytes. */
export function addressOfPrivateKey(privateKey: Uint8Array): Address {
  const spki = createPublicKey(keyObject(privateKey)).export({ format: 'der', type: 'spki' })
  return addressFromBytes(new Uint8Array(spki.subarray(SPKI_PREFIX.length)))
}

/** Signs a message: 64 bytes, the same for the same key and message. Source: RFC 8032 (pure Ed25519). */
export function signMessage(message: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return new Uint8Array(sign(null, message, keyObject(privateKey)))
}

/** Whether a signature over a message is an address's own. */
export function isSignedBy(address: Address, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, publicKeyOf(address), signature)
}

function publicKeyOf(address: Address): KeyObject {
  const known = knownKeys.get(address)
  if (known !== undefined) return known
  const der = Buffer.concat([SPKI_PREFIX, addressBytes(address)])
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  knownKeys.set(address, key)
  return key
}

/** Made for each use, so that no copy of the key outlives it; the bytes around it are wiped. */
function keyObject(privateKey: Uint8Array): ReturnType<typeof createPrivateKey> {
  if (privateKey.length !== SEED_BYTES) throw new RangeError('a private key has 32 bytes')
  const der = Buffer.concat([PKCS8_PREFIX, privateKey])
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  } finally {
    der.fill(0)
  }
}
