import { BASE_UNITS_MAX, baseUnits } from '../amount.ts'
import type { BaseUnits } from '../amount.ts'

/** A JSON object of which nothing else is known yet. */
export type Fields = Readonly<Record<string, unknown>>

const TEXT_CHARACTERS_MAX = 2_048
const UNITS = /^(?:0|[1-9][0-9]{0,77})$/

export function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined
}

/** As it is: a copy of each object of a payment took a tenth of what verifying it does. */
function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Text of 1 to 2,048 characters that every store can keep: no NUL, and no half of a surrogate pair. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= TEXT_CHARACTERS_MAX &&
    isKeepable(value)
    ? value
    : undefined
}

function isKeepable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/**
 * A count as x402 writes it: decimal digits in a string, no sign, no leading zero, at most a uint256. The reference takes whatever
 * BigInt takes (hex, spaces, the empty string); two spellings of one number are one confusion too many.
 */
export function unitsOf(value: unknown): BaseUnits | undefined {
  if (typeof value !== 'string' || !UNITS.test(value)) return undefined
  const units = BigInt(value)
  return units <= BASE_UNITS_MAX ? baseUnits(units) : undefined
}
