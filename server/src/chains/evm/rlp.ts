/** A value that RLP can say: bytes, or a list of such values. */
export type RlpItem = Uint8Array | readonly RlpItem[]

const SHORT_MAX = 55
const BYTES_OFFSET = 0x80
const LIST_OFFSET = 0xc0

/** Recursive Length Prefix encoding. Source: Ethereum Yellow Paper, appendix B. */
export function encodeRlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) {
    const [first] = item
    if (item.length === 1 && first !== undefined && first < BYTES_OFFSET) return item
    return Buffer.concat([header(item.length, BYTES_OFFSET), item])
  }
  const body = Buffer.concat(item.map(encodeRlp))
  return Buffer.concat([header(body.length, LIST_OFFSET), body])
}

/** A non-negative integer in the shortest big-endian bytes; zero is no bytes at all. */
export function integerBytes(value: bigint): Uint8Array {
  if (value < 0n) throw new RangeError('RLP has no negative integers')
  if (value === 0n) return new Uint8Array()
  const digits = value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

function header(length: number, offset: number): Uint8Array {
  if (length <= SHORT_MAX) return Uint8Array.of(offset + length)
  const size = integerBytes(BigInt(length))
  return Buffer.concat([Uint8Array.of(offset + SHORT_MAX + size.length), size])
}
