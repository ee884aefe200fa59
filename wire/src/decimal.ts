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

const EXPONENT = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?[eE]([+-]?[0-9]{1,3})$/
/** Further than this nothing is a plain decimal any more. */
const SHIFT_MAX = 78

/**
 * The source text of a JSON number with its exponent carried out, exactly: "1.25e-5" is "0.0000125". Programs do not choose that spelling, their
 * JSON writers do: Python's writes 0.00001 as 1e-05. Text without an exponent comes back as it is, and so does one that is negative or out of all range.
 */
export function withoutExponent(source: string): string {
  const [, whole = '', fraction = '', exponent = ''] = EXPONENT.exec(source) ?? []
  const shift = Number(exponent)
  if (exponent === '' || Math.abs(shift) > SHIFT_MAX) return source
  const digits = whole + fraction
  const point = whole.length + shift
  const before = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0')
  const after = (
    point < 0 ? digits.padStart(digits.length - point, '0') : digits.slice(point)
  ).replace(/0+$/, '')
  return before.replace(/^0+(?=[0-9])/, '') + (after === '' ? '' : `.${after}`)
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
