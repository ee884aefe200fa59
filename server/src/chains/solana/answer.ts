import type { Address, TransactionHash } from '../chain.ts'
import { fieldsFrom, isObject, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { parseAddress } from './account.ts'
import { decodeBase58 } from './base58.ts'

const HASH_BYTES = 32
/** A signature in base58. Blocks carry thousands, so the 64 bytes behind the text are not made each time. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/
const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/
/** Every integer that a node writes is a u64. */
const U64_MAX = 2n ** 64n - 1n
/** How Agave names what is wrong with a transaction. */
const ERROR_NAME = /^[A-Z][A-Za-z0-9]*$/

/** Reads a JSON integer of 64 bits from 0 up, else throws NodeFailure. */
export function integerFrom(value: unknown, what: string): bigint {
  if (typeof value === 'bigint' && value >= 0n && value <= U64_MAX) return value
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  throw malformed(what, value)
}

/** Reads a slot or a height, which we write back as a number, else throws NodeFailure. */
export function heightFrom(value: unknown, what: string): bigint {
  if (typeof value === 'bigint') throw malformed(what, value)
  return integerFrom(value, what)
}

/** Reads a place in a list, else throws NodeFailure. */
export function indexFrom(value: unknown, what: string): number {
  return Number(heightFrom(value, what))
}

/** Reads a token amount, which nodes write as text, else throws NodeFailure. */
export function amountFrom(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !DECIMAL.test(value)) throw malformed(what, value)
  const amount = BigInt(value)
  if (amount > U64_MAX) throw malformed(what, value)
  return amount
}

/**
 * Reads what went wrong with a transaction: null where nothing did, else a name, or a name with what belongs to it. Throws NodeFailure for
 * anything else, and where nothing is said: that is no verdict, neither a good nor a bad one. Source: Agave, `TransactionError`.
 */
export function transactionErrorFrom(value: unknown, what: string): string | Fields | null {
  if (value === null) return null
  if (typeof value === 'string' && ERROR_NAME.test(value)) return value
  const [name, second] = isObject(value) ? Object.keys(value) : []
  if (isObject(value) && name !== undefined && second === undefined && ERROR_NAME.test(name)) {
    return value
  }
  throw malformed(what, value)
}

/** What went wrong with a transaction, as text. */
export function transactionErrorText(error: string | Fields): string {
  return JSON.stringify(error, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each))
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
  const slot = heightFrom(fieldsFrom(fields['context'], `${what} context`)['slot'], `${what} slot`)
  return { slot, value: fields['value'] }
}
