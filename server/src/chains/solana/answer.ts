import type { Address, TransactionHash } from '../chain.ts'
import { fieldsFrom, malformed } from '../json-rpc/answer.ts'
import { parseAddress } from './account.ts'
import { decodeBase58 } from './base58.ts'

const HASH_BYTES = 32
/** A signature in base58. Blocks carry thousands, so the 64 bytes behind the text are not made each time. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/
const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/

/** Reads a JSON integer from 0 up, else throws NodeFailure. */
export function integerFrom(value: unknown, what: string): bigint {
  if (typeof value === 'bigint' && value >= 0n) return value
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  throw malformed(what, value)
}

/** Reads a place in a list, else throws NodeFailure. */
export function indexFrom(value: unknown, what: string): number {
  return Number(integerFrom(value, what))
}

/** Reads a token amount, which nodes write as text, else throws NodeFailure. */
export function amountFrom(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !DECIMAL.test(value)) throw malformed(what, value)
  return BigInt(value)
}

/** Reads text, else throws NodeFailure. */
export function textFrom(value: unknown, what: string): string {
  if (typeof value !== 'string') throw malformed(what, value)
  return value
}

/** Reads an address, else throws NodeFailure. */
export function addressFrom(value: unknown, what: string): Address {
  const address = typeof value === 'string' ? parseAddress(value) : undefined
  if (address === undefined) throw malformed(what, value)
  return address
}

/** Reads a blockhash, else throws NodeFailure. */
export function blockhashFrom(value: unknown, what: string): string {
  if (typeof value !== 'string' || decodeBase58(value, HASH_BYTES) === undefined) {
    throw malformed(what, value)
  }
  return value
}

/** Reads a transaction's first signature, which is its id, else throws NodeFailure. */
export function transactionHashFrom(value: unknown, what: string): TransactionHash {
  if (typeof value !== 'string' || !SIGNATURE.test(value)) throw malformed(what, value)
  return value as TransactionHash
}

/** Reads an answer that says at which slot it was true, else throws NodeFailure. */
export function contextFrom(result: unknown, what: string): { slot: bigint; value: unknown } {
  const fields = fieldsFrom(result, what)
  const slot = integerFrom(fieldsFrom(fields['context'], `${what} context`)['slot'], `${what} slot`)
  return { slot, value: fields['value'] }
}
