import type { Address } from '../../chain.ts'
import { addressFromBytes } from '../account.ts'
import { addressArgument, uintArgument } from '../arguments.ts'
import { hexBytes } from '../hex.ts'

const WORD_BYTES = 32
const ADDRESS_AT = 12
const SELECTOR_BYTES = 4

/** Call data, hex without 0x: a selector and words, each a number or an address. Source: the ABI specification. */
export function callData(selector: string, words: readonly (bigint | Address)[]): string {
  return selector + words.map(wordText).join('')
}

function wordText(word: bigint | Address): string {
  return typeof word === 'bigint' ? uintArgument(word) : addressArgument(word)
}

/** The words of an answer, or of a log's data; undefined when its length is none of so many. */
export function wordsOf(
  bytes: Uint8Array | undefined,
  count: number,
): readonly Uint8Array[] | undefined {
  if (bytes === undefined || bytes.length !== count * WORD_BYTES) return undefined
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES),
  )
}

/** A call's selector, hex, and the words after it; undefined when there is no whole number of them. */
export function readCall(
  data: Uint8Array,
): { readonly selector: string; readonly words: readonly Uint8Array[] } | undefined {
  const rest = data.subarray(SELECTOR_BYTES)
  const words = wordsOf(rest, Math.floor(rest.length / WORD_BYTES))
  if (data.length < SELECTOR_BYTES || words === undefined) return undefined
  return { selector: Buffer.from(data.subarray(0, SELECTOR_BYTES)).toString('hex'), words }
}

/** An unsigned word; 0 when there is none, or none of its bytes. */
export function uintOf(word: Uint8Array | undefined): bigint {
  return word === undefined || word.length === 0 ? 0n : BigInt(hexBytes(word))
}

/** A signed word, two's complement. */
export function intOf(word: Uint8Array | undefined): bigint {
  return BigInt.asIntN(WORD_BYTES * 8, uintOf(word))
}

/** The address in a word; undefined when there is something else in it. */
export function addressOf(word: Uint8Array | undefined): Address | undefined {
  if (word === undefined || word.subarray(0, ADDRESS_AT).some((byte) => byte !== 0)) {
    return undefined
  }
  return addressFromBytes(word.subarray(ADDRESS_AT))
}
