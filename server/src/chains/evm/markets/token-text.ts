import { uintOf } from './words.ts'

const WORD_BYTES = 32
const HEAD_BYTES = 2 * WORD_BYTES
const CHARACTERS_MAX = 128
/** Control and format characters, those that turn the direction of writing among them, and halves of characters. */
const INVISIBLE = /\p{C}/u

/**
 * A name or symbol as tokens give it: a string, or 32 bytes filled up with zeros. Null when it is neither, empty, longer than 128 characters,
 * or holds what cannot be seen.
 */
export function tokenText(answer: Uint8Array | undefined): string | null {
  if (answer === undefined) return null
  const bytes = answer.length === WORD_BYTES ? withoutZeros(answer) : stringIn(answer)
  if (bytes === undefined) return null
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim()
  } catch {
    return null
  }
  return text === '' || text.length > CHARACTERS_MAX || INVISIBLE.test(text) ? null : text
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

function stringIn(answer: Uint8Array): Uint8Array | undefined {
  if (answer.length < HEAD_BYTES) return undefined
  const offset = uintOf(answer.subarray(0, WORD_BYTES))
  const length = uintOf(answer.subarray(WORD_BYTES, HEAD_BYTES))
  if (offset !== BigInt(WORD_BYTES) || length > BigInt(answer.length - HEAD_BYTES)) return undefined
  return answer.subarray(HEAD_BYTES, HEAD_BYTES + Number(length))
}
