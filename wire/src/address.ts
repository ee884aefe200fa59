import { keccak256 } from './keccak.ts'

const EVM = /^0x[0-9a-fA-F]{40}$/
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const SOLANA_BYTES = 32
const SOLANA_CHARACTERS_MAX = 44

/**
 * Whether text is an EVM address: 0x and 40 hex digits. Mixed case is a checksum and must be right; all lower and all upper
 * case carry none. Source: EIP-55.
 */
export function isEvmAddress(text: string): boolean {
  if (!EVM.test(text)) return false
  const digits = text.slice(2)
  return (
    digits === digits.toLowerCase() ||
    digits === digits.toUpperCase() ||
    text === checksumAddress(text)
  )
}

/** The EIP-55 spelling of 0x and 40 hex digits in any case. */
export function checksumAddress(text: string): string {
  const digits = text.slice(2).toLowerCase()
  const hash = keccak256(new TextEncoder().encode(digits))
  let spelled = '0x'
  for (let position = 0; position < digits.length; position += 1) {
    const byte = hash[position >> 1] ?? 0
    const nibble = position % 2 === 0 ? byte >> 4 : byte & 0x0f
    const digit = digits.charAt(position)
    spelled += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return spelled
}

/** Whether text is a Solana address: exactly 32 bytes in base58, in its one spelling. */
export function isSolanaAddress(text: string): boolean {
  return text.length <= SOLANA_CHARACTERS_MAX && base58Bytes(text) === SOLANA_BYTES
}

/** An address of either family in the one spelling that records have; undefined when it is none. */
export function canonicalAddress(text: string): string | undefined {
  if (isEvmAddress(text)) return checksumAddress(text)
  return isSolanaAddress(text) ? text : undefined
}

/** How many bytes base58 text stands for; undefined when it is none. The work grows with the square of its length. */
export function base58Bytes(text: string): number | undefined {
  let value = 0n
  let leadingZeros = 0
  for (const character of text) {
    const digit = BASE58.indexOf(character)
    if (digit < 0) return undefined
    if (digit === 0 && value === 0n) leadingZeros += 1
    value = value * 58n + BigInt(digit)
  }
  return leadingZeros + (value === 0n ? 0 : Math.ceil(value.toString(16).length / 2))
}
