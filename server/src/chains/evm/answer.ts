import type { Address, TransactionHash } from '../chain.ts'
import { malformed } from '../json-rpc/answer.ts'
import { parseAddress } from './account.ts'

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/
const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/
const WORD = /^0x[0-9a-fA-F]{64}$/

/** Reads a hex quantity ("0x1a") of at most 256 bits, else throws NodeFailure. */
export function quantityFrom(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw malformed(what, value)
  return BigInt(value)
}

/** Reads hex data of any length, else throws NodeFailure. */
export function bytesFrom(value: unknown, what: string): Uint8Array {
  if (typeof value !== 'string' || !BYTES.test(value)) throw malformed(what, value)
  return Buffer.from(value.slice(2), 'hex')
}

/** Reads 32 bytes of hex (a block hash, a log topic) in lower case, else throws NodeFailure. */
export function wordFrom(value: unknown, what: string): string {
  if (typeof value !== 'string' || !WORD.test(value)) throw malformed(what, value)
  return value.toLowerCase()
}

/** Reads a transaction hash, else throws NodeFailure. */
export function transactionHashFrom(value: unknown, what: string): TransactionHash {
  return wordFrom(value, what) as TransactionHash
}

/** Reads an address in any spelling, else throws NodeFailure. */
export function addressFrom(value: unknown, what: string): Address {
  const address = typeof value === 'string' ? parseAddress(value.toLowerCase()) : undefined
  if (address === undefined) throw malformed(what, value)
  return address
}
