import { openRecent } from '../../kernel/recent.ts'
import type { Address } from '../chain.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'

const ADDRESS_BYTES = 32
/** Both ways take 3 us, and a payment names eight addresses, most of them again and again. Facts that never change. */
const KNOWN_MAX = 10_000
const texts = openRecent<Address>(KNOWN_MAX)
const bytesOf = openRecent<Uint8Array>(KNOWN_MAX)

/** The address of all zero bytes: the System program, and what an account that was never set reads as. */
export const ZERO_ADDRESS = addressFromBytes(new Uint8Array(ADDRESS_BYTES))

/** Reads an address: 32 bytes in base58, which has one spelling only. Undefined when malformed. */
export function parseAddress(text: string): Address | undefined {
  return decoded(text) === undefined ? undefined : (text as Address)
}

/** Thirty-two raw bytes as an address. Throws on another length: a bug. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== ADDRESS_BYTES) throw new RangeError('an address has 32 bytes')
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, ADDRESS_BYTES).toString('latin1')
  const known = texts.get(key)
  if (known !== undefined) return known
  const address = encodeBase58(bytes) as Address
  texts.set(key, address)
  return address
}

/** The thirty-two raw bytes of an address. */
export function addressBytes(address: Address): Uint8Array {
  const bytes = decoded(address)
  if (bytes === undefined) throw new RangeError('an address is 32 bytes in base58')
  // Whoever gets them may change them.
  return bytes.slice()
}

function decoded(text: string): Uint8Array | undefined {
  const known = bytesOf.get(text)
  if (known !== undefined) return known
  const bytes = decodeBase58(text, ADDRESS_BYTES)
  if (bytes !== undefined) bytesOf.set(text, bytes)
  return bytes
}

/** A well-known address of the chain, from its text. Throws when it is malformed: a bug. */
export function knownAddress(text: string): Address {
  const address = parseAddress(text)
  if (address === undefined) throw new RangeError(`${text} is no address`)
  return address
}
