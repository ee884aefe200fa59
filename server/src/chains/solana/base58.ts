const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const NO_DIGIT = -1
const DIGIT_OF_CODE = Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
)
/** As many digits as a number holds exactly: 58^9 is below 2^53. A step by nine costs one large division, not nine. */
const STEP_DIGITS = 9
const SCALES = Array.from({ length: STEP_DIGITS + 1 }, (_, digits) => 58n ** BigInt(digits))
const STEP = 58n ** BigInt(STEP_DIGITS)

/** Bytes in base58: the big-endian number, with a 1 for each leading zero byte. */
export function encodeBase58(bytes: Uint8Array): string {
  const zeros = leadingZeros(bytes)
  let rest = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  while (rest > 0n) {
    let step = Number(rest % STEP)
    rest /= STEP
    for (let digit = 0; digit < STEP_DIGITS && (rest > 0n || step > 0); digit += 1) {
      text = ALPHABET.charAt(step % 58) + text
      step = Math.floor(step / 58)
    }
  }
  return '1'.repeat(zeros) + text
}

/** Reads exactly `length` bytes in their one spelling, else undefined. */
export function decodeBase58(text: string, length: number): Uint8Array | undefined {
  // A character is more than 5.85 bits: longer text cannot be so few bytes and is not worth the work.
  if (text.length > Math.ceil(length * 1.37) || text.length < length) return undefined
  const value = numberOf(text)
  if (value === undefined) return undefined
  const digits = value.toString(16).padStart(length * 2, '0')
  if (digits.length > length * 2) return undefined
  const bytes = new Uint8Array(Buffer.from(digits, 'hex'))
  return leadingZeros(bytes) === leadingOnes(text) ? bytes : undefined
}

/** Reads at most `lengthMax` bytes, however many they are; undefined when it is no base58 or they are more. */
export function readBase58(text: string, lengthMax: number): Uint8Array | undefined {
  if (text.length > Math.ceil(lengthMax * 1.37)) return undefined
  const value = numberOf(text)
  if (value === undefined) return undefined
  const digits = value === 0n ? '' : value.toString(16)
  const rest = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  const bytes = Buffer.concat([new Uint8Array(leadingOnes(text)), rest])
  return bytes.length > lengthMax ? undefined : new Uint8Array(bytes)
}

function numberOf(text: string): bigint | undefined {
  let value = 0n
  for (let from = 0; from < text.length; from += STEP_DIGITS) {
    const end = Math.min(from + STEP_DIGITS, text.length)
    let step = 0
    for (let position = from; position < end; position += 1) {
      const digit = DIGIT_OF_CODE[text.charCodeAt(position)] ?? NO_DIGIT
      if (digit === NO_DIGIT) return undefined
      step = step * 58 + digit
    }
    value = value * (SCALES[end - from] ?? 1n) + BigInt(step)
  }
  return value
}

function leadingOnes(text: string): number {
  let ones = 0
  while (text.charAt(ones) === '1') ones += 1
  return ones
}

function leadingZeros(bytes: Uint8Array): number {
  const first = bytes.findIndex((byte) => byte !== 0)
  return first === -1 ? bytes.length : first
}
