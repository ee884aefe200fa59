/** The form of a plain decimal; OpenAPI shows it too. */
export const DECIMAL = /^(0|[1-9][0-9]{0,77})(?:\.([0-9]{1,78}))?$/

/** The form of a part of what there is, such as 50%. */
export const SHARE = /^(0|[1-9][0-9]{0,2})(?:\.([0-9]{1,18}))?%$/

/** Whether text is a part of what there is: more than 0 %, at most 100 %. */
export function isShare(text: string): boolean {
  if (!SHARE.test(text)) return false
  const percent = text.slice(0, -1)
  return compareDecimals(percent, '0') > 0 && compareDecimals(percent, '100') <= 0
}

/** Whether text is a plain decimal number: digits, at most one point, no sign, exponent or leading zero. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text)
}

/**
 * Compares two plain decimals exactly, digit by digit: negative, zero or positive like `a - b`.
 * Throws on text that is not a plain decimal: a bug of the caller, who asks `isDecimal` first.
 */
export function compareDecimals(a: string, b: string): number {
  const [wholeA, fractionA] = split(a)
  const [wholeB, fractionB] = split(b)
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length
  const length = Math.max(fractionA.length, fractionB.length)
  const digitsA = wholeA + fractionA.padEnd(length, '0')
  const digitsB = wholeB + fractionB.padEnd(length, '0')
  return digitsA === digitsB ? 0 : digitsA < digitsB ? -1 : 1
}

function split(text: string): readonly [whole: string, fraction: string] {
  const parts = DECIMAL.exec(text)
  if (!parts) throw new RangeError('not a plain decimal')
  return [parts[1] ?? '', parts[2] ?? '']
}
