import { addressOfPrivateKey, signDigest } from '../chains/evm/secp256k1.ts'
import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import type { KeyScheme } from './key-scheme.ts'

const KEY_BYTES = 32
/** A draw is out of range with probability 2^-128; a second one in a row means that random is broken. */
const DRAWS_MAX = 2
/** The order of the secp256k1 group. Source: SEC 2, section 2.4.1. */
const ORDER = Uint8Array.from(
  Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex'),
)

/** secp256k1 keys with EIP-55 addresses. */
export function evmKeys({ random }: { random: Random }): KeyScheme {
  return {
    family: 'evm',
    generate: () => {
      for (let draw = 0; draw < DRAWS_MAX; draw += 1) {
        const privateKey = random.bytes(KEY_BYTES)
        if (isEvmKey(privateKey)) return new SecretBytes(privateKey)
      }
      throw new Error('random bytes gave no private key')
    },
    addressOf: (privateKey) => addressOfPrivateKey(privateKey.reveal()),
    sign: (digest, privateKey) => signDigest(digest, privateKey.reveal()),
  }
}

/** Whether bytes are a private key: 0 < key < order. */
export function isEvmKey(key: Uint8Array): boolean {
  return (
    key.length === KEY_BYTES && key.some((byte) => byte !== 0) && Buffer.compare(key, ORDER) < 0
  )
}
