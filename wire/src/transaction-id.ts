import { base58Bytes } from './address.ts'

const EVM = /^0x[0-9a-fA-F]{64}$/
const SOLANA_BYTES = 64
const SOLANA_CHARACTERS_MAX = 88

/**
 * A transaction's id on its chain in the spelling that records have: an EVM hash in lower case, a Solana signature (64 bytes in
 * base58) as it is. Undefined when it is neither.
 */
export function canonicalTransactionId(text: string): string | undefined {
  if (EVM.test(text)) return text.toLowerCase()
  const isSignature = text.length <= SOLANA_CHARACTERS_MAX && base58Bytes(text) === SOLANA_BYTES
  return isSignature ? text : undefined
}
