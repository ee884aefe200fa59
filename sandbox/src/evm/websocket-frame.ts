/** One frame of RFC 6455. */
export interface Frame {
  readonly isLast: boolean
  readonly opcode: number
  readonly payload: Buffer
  /** The bytes it came in. */
  readonly source: Buffer
}

export const OPCODE = { continuation: 0, text: 1, binary: 2 } as const

const SHORT_MAX = 125
const MEDIUM = 126
const LONG = 127

/** Takes frames out of a stream of bytes, whole and in order, unmasked. */
export function createFrameReader(payloadBytesMax: number): {
  /** Adds bytes and gives back the frames that are complete now, or `too-large`. */
  take(bytes: Buffer): readonly Frame[] | 'too-large'
} {
  let rest: Buffer = Buffer.alloc(0)
  return {
    take(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      const frames: Frame[] = []
      for (;;) {
        const frame = firstFrame(rest, payloadBytesMax)
        if (frame === 'too-large') return frame
        if (frame === undefined) return frames
        frames.push(frame)
        rest = rest.subarray(frame.source.length)
      }
    },
  }
}

function firstFrame(bytes: Buffer, payloadBytesMax: number): Frame | 'too-large' | undefined {
  if (bytes.length < 2) return undefined
  const [first = 0, second = 0] = bytes
  const short = second & 0x7f
  let offset = 2 + (short === MEDIUM ? 2 : short === LONG ? 8 : 0)
  if (bytes.length < offset) return undefined
  const length = lengthOf(bytes, short)
  if (length > payloadBytesMax) return 'too-large'
  const isMasked = (second & 0x80) !== 0
  const mask = isMasked ? bytes.subarray(offset, offset + 4) : undefined
  offset += isMasked ? 4 : 0
  if (bytes.length < offset + length) return undefined
  const source = bytes.subarray(0, offset + length)
  const payload = Buffer.from(source.subarray(offset))
  if (mask !== undefined) {
    for (let at = 0; at < length; at += 1) payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0)
  }
  return { isLast: (first & 0x80) !== 0, opcode: first & 0x0f, payload, source }
}

function lengthOf(bytes: Buffer, short: number): number {
  if (short === MEDIUM) return bytes.readUInt16BE(2)
  return short === LONG ? Number(bytes.readBigUInt64BE(2)) : short
}

/** A whole text message as the server's side writes it: one frame, no mask. */
export function serverText(text: Buffer): Buffer {
  return Buffer.concat([headOf(text.length, 0), text])
}

/** The same as the client's side writes it. The mask hides nothing between two ends on one machine, so it is zero. */
export function clientText(text: Buffer): Buffer {
  return Buffer.concat([headOf(text.length, 0x80), Buffer.alloc(4), text])
}

function headOf(length: number, maskBit: number): Buffer {
  const first = 0x80 | OPCODE.text
  if (length <= SHORT_MAX) return Buffer.from([first, maskBit | length])
  if (length <= 0xffff) {
    return Buffer.from([first, maskBit | MEDIUM, length >> 8, length & 0xff])
  }
  const head = Buffer.alloc(10)
  head[0] = first
  head[1] = maskBit | LONG
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}
