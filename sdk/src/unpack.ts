import { limits } from './limits.ts'

/** What every platform unpacks that unpacks at all, by its names in `Content-Encoding`. RFC 9110, 8.4.1. */
const FORMATS: ReadonlyMap<string, CompressionFormat> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
])

/**
 * A body as it was before its sender packed it; undefined where that is not known, is broken or is too long, or where the platform does not
 * unpack. Never rejects.
 */
export async function unpacked(
  bytes: Uint8Array,
  encoding: string,
): Promise<Uint8Array | undefined> {
  const format = FORMATS.get(encoding.trim().toLowerCase())
  if (format === undefined || typeof DecompressionStream === 'undefined') return undefined
  try {
    const packed = new Blob([new Uint8Array(bytes)]).stream()
    return await readAll(packed.pipeThrough(new DecompressionStream(format)))
  } catch {
    return undefined
  }
}

/** A part of some KB may be a thousand times as long when it is unpacked. */
async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array | undefined> {
  const reader = stream.getReader()
  const parts: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > limits.unpackedBytesMax) {
      await reader.cancel()
      return undefined
    }
    parts.push(value)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
