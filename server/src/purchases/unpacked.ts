import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

/** How a body is unpacked, by its names in `Content-Encoding`. Source: RFC 9110, 8.4.1. */
const WAYS: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', promisify<Uint8Array, Bound, Buffer>(gunzip)],
  ['x-gzip', promisify<Uint8Array, Bound, Buffer>(gunzip)],
  ['deflate', promisify<Uint8Array, Bound, Buffer>(inflate)],
  ['br', promisify<Uint8Array, Bound, Buffer>(brotliDecompress)],
])

interface Bound {
  readonly maxOutputLength: number
}
type Unpack = (packed: Uint8Array, bound: Bound) => Promise<Buffer>

/**
 * What a sender has packed, as it was before. Undefined where it is longer than so many bytes, packed or not, is broken, is not packed, or in a way that
 * is not known here, or more than once. What is longer is given up at the bound: a part of some KB may be a thousand times as long.
 */
export async function unpacked(
  body: Uint8Array,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  if (encoding === undefined || body.byteLength > bytesMax) return undefined
  try {
    return await WAYS.get(encoding.trim().toLowerCase())?.(body, { maxOutputLength: bytesMax })
  } catch {
    return undefined
  }
}
