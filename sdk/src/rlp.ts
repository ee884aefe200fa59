/** A field of a transaction: its bytes, or a list with nothing in it. */
export type RlpField = Uint8Array | 'empty list'

const SHORT_MAX = 55
const BYTES_OFFSET = 0x80
const LIST_OFFSET = 0xc0
/** Bytes that say how long something long is; three already say more than any transaction has. */
const LENGTH_BYTES_MAX = 3

/**
 * Reads one list of fields in its one spelling (shortest headers), to the last byte; undefined for anything else, also for a list within
 * it that holds something. Source: Ethereum Yellow Paper, appendix B.
 */
export function readRlpList(bytes: Uint8Array): readonly RlpField[] | undefined {
  const whole = bodyAt(bytes, 0, LIST_OFFSET)
  if (whole?.end !== bytes.length) return undefined
  const fields: RlpField[] = []
  for (let at = whole.start; at < bytes.length;) {
    const first = bytes[at] ?? 0
    if (first < BYTES_OFFSET || first === LIST_OFFSET) {
      fields.push(first === LIST_OFFSET ? 'empty list' : bytes.slice(at, at + 1))
      at += 1
      continue
    }
    const body = first < LIST_OFFSET ? bodyAt(bytes, at, BYTES_OFFSET) : undefined
    if (body === undefined) return undefined
    const field = bytes.slice(body.start, body.end)
    // A small byte stands for itself.
    if (field.length === 1 && (field[0] ?? 0) < BYTES_OFFSET) return undefined
    fields.push(field)
    at = body.end
  }
  return fields
}

function bodyAt(bytes: Uint8Array, at: number, offset: number) {
  const marker = (bytes[at] ?? 0) - offset
  if (marker < 0) return undefined
  if (marker <= SHORT_MAX) return within(bytes, at + 1, marker)
  const size = marker - SHORT_MAX
  const digits = bytes.subarray(at + 1, at + 1 + size)
  if (size > LENGTH_BYTES_MAX || digits.length < size || digits[0] === 0) return undefined
  const length = digits.reduce((value, byte) => value * 256 + byte, 0)
  return length <= SHORT_MAX ? undefined : within(bytes, at + 1 + size, length)
}

function within(bytes: Uint8Array, start: number, length: number) {
  const end = start + length
  return end <= bytes.length ? { start, end } : undefined
}
