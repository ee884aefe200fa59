import type { Address } from '../chain.ts'
import { keccak256 } from './keccak.ts'
import { recoverAddress } from './secp256k1.ts'

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/

/** Whether an address's key signed a text with `personal_sign`. Accounts with code (EIP-1271) are not asked. Source: EIP-191. */
export function isTextSignedBy(address: Address, text: string, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false
  const bytes = Buffer.from(text, 'utf8')
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`, 'utf8')
  const digest = keccak256(Buffer.concat([prefix, bytes]))
  return recoverAddress(digest, Buffer.from(signature.slice(2), 'hex')) === address
}
