import type { Address } from '../chain.ts'
import { addressBytes, addressFromBytes } from './account.ts'

const WORD_BYTES = 32
const ADDRESS_AT = 12
/** The last 32 bytes of a signature of an account that may not exist yet. Source: EIP-6492. */
const SUFFIX = Buffer.from('6492'.repeat(16), 'hex')

/** What makes an account before it can answer for a signature. */
export interface Deployment {
  readonly factory: Address
  readonly data: Uint8Array
}

/** A signature as the account takes it, and what makes the account. */
export interface WalletSignature {
  readonly signature: Uint8Array
  /** Left out: nothing is to be made. */
  readonly deployment?: Deployment
}

/** Whether the bytes say that they are wrapped, be it well or not. */
export function isWrapped(signature: Uint8Array): boolean {
  return SUFFIX.equals(signature.subarray(-WORD_BYTES))
}

/**
 * Takes the wrapper of EIP-6492 off: abi.encode(factory, data, signature) before the mark. One layer; what is no proper wrapper stays
 * as it is, mark and all.
 */
export function unwrapSignature(bytes: Uint8Array): WalletSignature {
  if (!isWrapped(bytes)) return { signature: bytes }
  const body = bytes.subarray(0, -WORD_BYTES)
  const factory = addressAt(body, 0)
  const data = bytesAt(body, WORD_BYTES)
  const signature = bytesAt(body, 2 * WORD_BYTES)
  if (factory === undefined || data === undefined || signature === undefined) {
    return { signature: bytes }
  }
  return { signature, deployment: { factory, data } }
}

function addressAt(bytes: Uint8Array, at: number): Address | undefined {
  const word = bytes.subarray(at, at + WORD_BYTES)
  if (word.length !== WORD_BYTES || word.subarray(0, ADDRESS_AT).some((byte) => byte !== 0)) {
    return undefined
  }
  return addressFromBytes(word.subarray(ADDRESS_AT))
}

function bytesAt(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const offset = lengthAt(bytes, at)
  const length = offset === undefined ? undefined : lengthAt(bytes, offset)
  if (offset === undefined || length === undefined) return undefined
  const from = offset + WORD_BYTES
  return from + length > bytes.length ? undefined : bytes.subarray(from, from + length)
}

/** A length or an offset, which is never larger than what it is in. */
function lengthAt(bytes: Uint8Array, at: number): number | undefined {
  const word = bytes.subarray(at, at + WORD_BYTES)
  if (word.length !== WORD_BYTES) return undefined
  const value = BigInt(`0x${Buffer.from(word).toString('hex')}`)
  return value > BigInt(bytes.length) ? undefined : Number(value)
}

/** isValidSignature(bytes32,bytes). Source: EIP-1271. */
const IS_VALID_SIGNATURE = Buffer.from('1626ba7e', 'hex')

/** The call that asks an account for its word on a signature. */
export function wordCall(digest: Uint8Array, signature: Uint8Array): Uint8Array {
  return Buffer.concat([IS_VALID_SIGNATURE, digest, ...dynamicBytes(2, signature)])
}

/** An argument of type bytes behind so many words of arguments, itself the last: its offset, its length, and its content padded. */
export function dynamicBytes(argumentWords: number, content: Uint8Array): readonly Uint8Array[] {
  const padding = new Uint8Array((WORD_BYTES - (content.length % WORD_BYTES)) % WORD_BYTES)
  return [word(argumentWords * WORD_BYTES), word(content.length), content, padding]
}

function word(value: number): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * WORD_BYTES, '0'), 'hex')
}

/**
 * Init code of a call that creates nothing: asks the account within so much gas and returns one word, whatever the account returns. The
 * word is zero where the account fails, or gives back less than a word.
 */
export function boundedCall(account: Address, data: Uint8Array, gas: number): Uint8Array {
  const size = data.length.toString(16).padStart(4, '0')
  const code = (prefix: string) =>
    [
      `61${size}61${prefix}5f39`, // codecopy(0, prefix, size)
      `602061${size}61${size}5f`, // 32 bytes back, behind the size bytes that it is given
      `73${Buffer.from(addressBytes(account)).toString('hex')}`,
      `62${gas.toString(16).padStart(6, '0')}fa`, // staticcall
      '3d601f1016', // and 31 < returndatasize
      `61${size}51025f52`, // times the word
      '60205ff3',
    ].join('')
  const prefixBytes = code('0000').length / 2
  const prefix = code(prefixBytes.toString(16).padStart(4, '0'))
  return Buffer.concat([Buffer.from(prefix, 'hex'), data])
}
