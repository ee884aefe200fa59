import type { RlpItem } from './rlp.ts'

const SHORT_MAX = 55
const BYTES_OFFSET = 0x80
const LIST_OFFSET = 0xc0
/** Bytes that say how long something long is; four already say more than any transaction has. */
const LENGTH_BYTES_MAX = 4
/** An access list is three deep. */
const DEPTH_MAX = 4

/**
 * Reads one item in its one spelling (shortest headers), to the last byte; undefined for anything else. Source: Ethereum Yellow Paper,
 * appendix B.
 */
export function decodeRlp(bytes: Uint8Array): RlpItem | undefined {
  const read = itemAt(bytes, 0, 0)
  return read?.end === bytes.length ? read.item : undefined
}

interface ReadItem {
  readonly item: RlpItem
  readonly end: number
}

function itemAt(bytes: Uint8Array, at: number, depth: number): ReadItem | undefined {
  const first = bytes[at]
  if (first === undefined || depth > DEPTH_MAX) return undefined
  if (first < BYTES_OFFSET) return { item: bytes.subarray(at, at + 1), end: at + 1 }
  const isList = first >= LIST_OFFSET
  const body = bodyAt(bytes, at, first - (isList ? LIST_OFFSET : BYTES_OFFSET))
  if (body === undefined) return undefined
  const { start, end } = body
  if (isList) return listBetween(bytes, start, end, depth)
  const [only] = bytes.subarray(start, end)
  // A small byte stands for itself.
  if (end - start === 1 && only !== undefined && only < BYTES_OFFSET) return undefined
  return { item: bytes.subarray(start, end), end }
}

function listBetween(
  bytes: Uint8Array,
  start: number,
  end: number,
  depth: number,
): ReadItem | undefined {
  const items: RlpItem[] = []
  for (let at = start; at < end;) {
    const read = itemAt(bytes, at, depth + 1)
    if (read === undefined || read.end > end) return undefined
    items.push(read.item)
    at = read.end
  }
  return { item: items, end }
}

function bodyAt(
  bytes: Uint8Array,
  at: number,
  marker: number,
): { start: number; end: number } | undefined {
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
