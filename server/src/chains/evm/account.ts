import { openRecent } from '../../kernel/recent.ts'
import type { Address } from '../chain.ts'
import { keccak256 } from './keccak.ts'

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const ADDRESS_BYTES = 20
const LOWER_A = 0x61
const LOWER_TO_UPPER = 0x20
/** Good spellings that were read lately: a hash each, and a payment names four addresses, most of them again and again. */
const SPELLED_MAX = 4_000
const spelled = openRecent<Address>(SPELLED_MAX)

/** The address that nobody holds. */
export const ZERO_ADDRESS = addressFromBytes(new Uint8Array(ADDRESS_BYTES))

/**
 * Reads an address. All lower or all upper case carries no checksum and is taken; mixed case must be right
 * (EIP-55). Undefined when malformed. The answer is in EIP-55 spelling.
 */
export function parseAddress(text: string): Address | undefined {
  const known = spelled.get(text)
  if (known !== undefined) return known
  const address = readAddress(text)
  if (address !== undefined) spelled.set(text, address)
  return address
}

function readAddress(text: string): Address | undefined {
  if (!ADDRESS.test(text)) return undefined
  const digits = text.slice(2)
  const canonical = checksummed(digits.toLowerCase())
  const carriesNoChecksum = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return carriesNoChecksum || text === canonical ? canonical : undefined
}

/** An address of our own configuration. Throws when it is none. */
export function requireAddress(text: string): Address {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(`${text} is no proper address`)
  return address
}

/** Twenty raw bytes as an address. Throws on another length: a bug. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== ADDRESS_BYTES) throw new RangeError('an address has 20 bytes')
  return checksummed(Buffer.from(bytes).toString('hex'))
}

/** The twenty raw bytes of an address. */
export function addressBytes(address: Address): Uint8Array {
  return new Uint8Array(Buffer.from(address.slice(2), 'hex'))
}

/** EIP-55: a hex digit is upper case where the hash of the lower-case text has a nibble of 8 or more. */
function checksummed(lowerCaseDigits: string): Address {
  const codes = Buffer.from(lowerCaseDigits, 'latin1')
  const hash = keccak256(codes)
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0
    const half = hash[index >> 1] ?? 0
    const isUpper = index % 2 === 0 ? half >= 0x80 : (half & 0x08) !== 0
    if (isUpper && code >= LOWER_A) codes[index] = code - LOWER_TO_UPPER
  }
  return `0x${codes.toString('latin1')}` as Address
}
