import { formatAmount } from '@florin/wire/amount.ts'

/**
 * What one base unit of a token is worth in base units of native currency, times 10^36, rounded down: an integer from two integers, so
 * that nothing passes through a float. Dust of a dear coin against a token with 36 fraction digits still has digits left.
 */
export type Ratio = bigint

/** Fraction digits of a Ratio. */
export const RATIO_DIGITS = 36
const SCALE = 10n ** BigInt(RATIO_DIGITS)
/** Digits of a price that are shown; it is a quotient, and the next ones say nothing of the market. */
const SHOWN_DIGITS = 18

/** What `token` base units cost when they cost `native` base units; undefined when one of them is nothing. */
export function ratioOf(native: bigint, token: bigint): Ratio | undefined {
  if (native <= 0n || token <= 0n) return undefined
  const ratio = (native * SCALE) / token
  return ratio === 0n ? undefined : ratio
}

/** What so many base units of the token are worth, in base units of native currency, rounded down. */
export function valueOf(amount: bigint, ratio: Ratio): bigint {
  return (amount * ratio) / SCALE
}

/** Whole native coins for one whole token, as decimal text of at most 18 significant digits, rounded down. */
export function priceText(
  ratio: Ratio,
  decimals: { readonly native: number; readonly token: number },
): string {
  const digits = RATIO_DIGITS + decimals.native - decimals.token
  return digits >= 0 ? shownText(ratio, digits) : shownText(ratio * 10n ** BigInt(-digits), 0)
}

/** A number of so many fraction digits as decimal text with at most 18 significant digits, rounded down. */
export function shownText(value: bigint, digits: number): string {
  const surplus = value.toString().length - SHOWN_DIGITS
  const unit = 10n ** BigInt(Math.max(0, Math.min(surplus, digits)))
  return formatAmount(value - (value % unit), digits)
}

/** The same rounded to the nearest of so many significant digits: for what is an estimate anyhow. */
export function roughText(value: bigint, digits: number, shownDigits: number): string {
  const surplus = value.toString().length - shownDigits
  const unit = 10n ** BigInt(Math.max(0, Math.min(surplus, digits)))
  return formatAmount(((value + unit / 2n) / unit) * unit, digits)
}
