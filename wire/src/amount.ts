import type { Brand } from './brand.ts'

/** Money: an integer count of an asset's smallest unit. Never a float, never rounded. */
export type BaseUnits = Brand<bigint, 'BaseUnits'>

/** What `numeric(78, 0)` holds and a uint256 can say; nothing larger is an amount. */
export const BASE_UNITS_MAX = 2n ** 256n - 1n

const DECIMAL = /^(0|[1-9][0-9]{0,77})(?:\.([0-9]{1,78}))?$/

export type AmountProblem = 'malformed' | 'too-fine' | 'too-large'

/**
 * Reads an amount in whole units of an asset from its source text ("0.001") into base units.
 * Exponents, signs, spaces, hex and leading zeros are malformed; more fraction digits than the asset has is too fine.
 */
export function parseAmount(
  text: string,
  decimals: number,
): { ok: true; amount: BaseUnits } | { ok: false; problem: AmountProblem } {
  const parts = DECIMAL.exec(text)
  if (!parts) return { ok: false, problem: 'malformed' }
  const [, whole = '0', fraction = ''] = parts
  if (fraction.length > decimals) return { ok: false, problem: 'too-fine' }
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  return units > BASE_UNITS_MAX
    ? { ok: false, problem: 'too-large' }
    : { ok: true, amount: units as BaseUnits }
}

/** A non-negative integer that code or the database already holds, as base units. Throws on anything else: a bug. */
export function baseUnits(value: bigint | string): BaseUnits {
  const units = BigInt(value)
  if (units < 0n || units > BASE_UNITS_MAX) throw new RangeError('not an amount of base units')
  return units as BaseUnits
}

/** Base units as decimal text in whole units, without trailing zeros: 1500000n with 6 decimals is "1.5". */
export function formatAmount(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return sign + whole + (fraction === '' ? '' : `.${fraction}`)
}
