import type { Address } from '../chain.ts'

const WORD_DIGITS = 64
const ADDRESS_DIGITS = 40
const ADDRESS_PADDING = '0'.repeat(WORD_DIGITS - ADDRESS_DIGITS)

/** An address as an argument of a call: 64 digits of hex without 0x, lower case. Source: the ABI specification. */
export function addressArgument(address: Address): string {
  return ADDRESS_PADDING + address.slice(2).toLowerCase()
}

/** A number that is not negative as an argument of a call: 64 digits of hex without 0x. */
export function uintArgument(value: bigint | number): string {
  return value.toString(16).padStart(WORD_DIGITS, '0')
}
