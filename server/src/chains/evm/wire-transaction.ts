import type { Address } from '../chain.ts'
import { addressFromBytes } from './account.ts'
import type { FeesPerGas } from './fees.ts'
import { hexBytes } from './hex.ts'
import { decodeRlp } from './rlp-read.ts'
import { encodeRlp } from './rlp.ts'
import type { RlpItem } from './rlp.ts'

/** An EIP-1559 transaction in bytes, read completely. */
export interface WireTransaction {
  readonly chainId: bigint
  readonly nonce: bigint
  readonly fees: FeesPerGas
  readonly gas: bigint
  /** Null where it creates a contract. */
  readonly to: Address | null
  readonly value: bigint
  readonly data: Uint8Array
  readonly hasAccessList: boolean
  /** r || s || yParity, 65 bytes; null before it is signed. */
  readonly signature: Uint8Array | null
  /** What the signature is over, before hashing. */
  readonly payload: Uint8Array
}

const TYPE = 2
const UNSIGNED_FIELDS = 9
const SIGNED_FIELDS = 12
const WORD_BYTES = 32
const QUANTITY_BYTES = 8
const ADDRESS_BYTES = 20
/** What nodes take at most. Source: go-ethereum, `txMaxSize`. */
const TRANSACTION_BYTES_MAX = 128 * 1024

/** Reads an EIP-1559 transaction, or says in plain words what is wrong with the bytes. */
export function readWireTransaction(bytes: Uint8Array): WireTransaction | string {
  if (bytes.length > TRANSACTION_BYTES_MAX) return 'it is larger than nodes take'
  if (bytes[0] !== TYPE) return 'it is not an EIP-1559 transaction (type 2)'
  const list = decodeRlp(bytes.subarray(1))
  if (list === undefined || list instanceof Uint8Array) {
    return 'its bytes are cut off, damaged or followed by others'
  }
  if (list.length !== UNSIGNED_FIELDS && list.length !== SIGNED_FIELDS) {
    return `it has ${list.length} fields, where an EIP-1559 transaction has 9, or 12 with its signature`
  }
  return fieldsOf(bytes, list) ?? 'a field is not written as EIP-1559 says'
}

function fieldsOf(bytes: Uint8Array, list: readonly RlpItem[]): WireTransaction | undefined {
  const chainId = integerFrom(list[0], QUANTITY_BYTES)
  const nonce = integerFrom(list[1], QUANTITY_BYTES)
  const maxPriorityFeePerGas = integerFrom(list[2], WORD_BYTES)
  const maxFeePerGas = integerFrom(list[3], WORD_BYTES)
  const gas = integerFrom(list[4], QUANTITY_BYTES)
  const to = addressFrom(list[5])
  const value = integerFrom(list[6], WORD_BYTES)
  const [, , , , , , , data, accessList] = list
  if (chainId === undefined || nonce === undefined || gas === undefined) return undefined
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined) return undefined
  if (maxPriorityFeePerGas > maxFeePerGas || value === undefined || to === undefined) {
    return undefined
  }
  if (!(data instanceof Uint8Array)) return undefined
  if (accessList === undefined || accessList instanceof Uint8Array) return undefined
  const signature = list.length === SIGNED_FIELDS ? signatureFrom(list) : null
  if (signature === undefined) return undefined
  return {
    chainId,
    nonce,
    fees: { maxFeePerGas, maxPriorityFeePerGas },
    gas,
    to,
    value,
    data,
    hasAccessList: accessList.length > 0,
    signature,
    payload: signature === null ? bytes : payloadOf(list),
  }
}

function payloadOf(list: readonly RlpItem[]): Uint8Array {
  return Buffer.concat([Uint8Array.of(TYPE), encodeRlp(list.slice(0, UNSIGNED_FIELDS))])
}

/** In the shortest bytes, of at most so many. */
function integerFrom(item: RlpItem | undefined, bytesMax: number): bigint | undefined {
  if (!(item instanceof Uint8Array) || item.length > bytesMax || item[0] === 0) return undefined
  return item.length === 0 ? 0n : BigInt(hexBytes(item))
}

function addressFrom(item: RlpItem | undefined): Address | null | undefined {
  if (!(item instanceof Uint8Array)) return undefined
  if (item.length === 0) return null
  return item.length === ADDRESS_BYTES ? addressFromBytes(item) : undefined
}

function signatureFrom(list: readonly RlpItem[]): Uint8Array | undefined {
  const [parity, r, s] = list.slice(UNSIGNED_FIELDS)
  const yParity = integerFrom(parity, 1)
  if (yParity === undefined || yParity > 1n) return undefined
  if (integerFrom(r, WORD_BYTES) === undefined || integerFrom(s, WORD_BYTES) === undefined) {
    return undefined
  }
  return Buffer.concat([padded(r), padded(s), Uint8Array.of(Number(yParity))])
}

function padded(item: RlpItem | undefined): Uint8Array {
  const bytes = item instanceof Uint8Array ? item : new Uint8Array()
  return Buffer.concat([new Uint8Array(WORD_BYTES - bytes.length), bytes])
}
