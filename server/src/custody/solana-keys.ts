import { addressOfPrivateKey, signMessage } from '../chains/solana/ed25519.ts'
import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import type { KeyScheme } from './key-scheme.ts'

const KEY_BYTES = 32

/** Ed25519 keys (any 32 bytes are one) with base58 addresses. */
export function solanaKeys({ random }: { random: Random }): KeyScheme {
  return {
    family: 'solana',
    generate: () => new SecretBytes(random.bytes(KEY_BYTES)),
    addressOf: (privateKey) => addressOfPrivateKey(privateKey.reveal()),
    sign: (message, privateKey) => signMessage(message, privateKey.reveal()),
  }
}
