import type { Address } from '../chain.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'

const ADDRESS_BYTES = 32

/** The address of all zero bytes: the System program, and what an account that was never set reads as. */
export const ZERO_ADDRESS = addressFromBytes(new Uint8Array(ADDRESS_BYTES))

/** Reads an address: 32 bytes in base58, which has one spelling only. Undefined when malformed. */
export function parseAddress(text: string): Address | undefined {
  return decodeBase58(text, ADDRESS_BYTES) === undefined ? undefined : (text as Address)
}

/** Thirty-two raw bytes as an address. Throws on another length: a bug. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== ADDRESS_BYTES) throw new RangeError('an address has 32 bytes')
  return encodeBase58(bytes) as Address
}

/** The thirty-two raw bytes of an address. */
export function addressBytes(address: Address): Uint8Array {
  const bytes = decodeBase58(address, ADDRESS_BYTES)
  if (bytes === undefined) throw new RangeError('an address is 32 bytes in base58')
  return bytes
}

/** A well-known address of the chain, from its text. Throws when it is malformed: a bug. */
export function knownAddress(text: string): Address {
  const address = parseAddress(text)
  if (address === undefined) throw new RangeError(`${text} is no address`)
  return address
}
