import type { Address } from '../chain.ts'
import { decodeBase58 } from './base58.ts'
import { isSignedBy } from './ed25519.ts'

const SIGNATURE_BYTES = 64
const BASE64 = /^[A-Za-z0-9+/]{86}==$/

/** Whether an address's key signed the UTF-8 bytes of a text, as wallets' `signMessage` does; base58 or base64. */
export function isTextSignedBy(address: Address, text: string, signature: string): boolean {
  const bytes = BASE64.test(signature)
    ? new Uint8Array(Buffer.from(signature, 'base64'))
    : decodeBase58(signature, SIGNATURE_BYTES)
  return bytes !== undefined && isSignedBy(address, Buffer.from(text, 'utf8'), bytes)
}
