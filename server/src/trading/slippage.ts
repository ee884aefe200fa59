import { formatAmount, parseAmount } from '@florin/wire/amount.ts'

/** Digits of a percentage behind its point. */
const PERCENT_DECIMALS = 18
const PERCENT = 10n ** BigInt(PERCENT_DECIMALS)
const WHOLE = 100n * PERCENT
/** Digits that a quotient is told with, when it has more. */
const QUOTIENT_DIGITS = 18

/** The least that may come out: rounded up, so that nobody gets less than was said. Base units. */
export function minimumOut(amountOut: bigint, slippagePercent: string): bigint {
  const left = WHOLE - percentOf(slippagePercent)
  return (amountOut * left + WHOLE - 1n) / WHOLE
}

/** A part of what there is, rounded down. `share` is a percentage without its sign. */
export function partOf(balance: bigint, share: string): bigint {
  return (balance * percentOf(share)) / WHOLE
}

/** How much less than quoted came in, in percent; "0" when it was no less. */
export function slippageUsed(quoted: bigint, received: bigint): string {
  return received >= quoted ? '0' : quotient((quoted - received) * 100n, quoted)
}

/** Native currency per whole token. */
export function priceOf(
  native: { readonly units: bigint; readonly decimals: number },
  token: { readonly units: bigint; readonly decimals: number },
): string {
  return quotient(
    native.units * 10n ** BigInt(token.decimals),
    token.units * 10n ** BigInt(native.decimals),
  )
}

/** Hundredths of a percent, as percent. */
export function percentText(basisPoints: bigint): string {
  return formatAmount(basisPoints, 2)
}

/** A percentage in its units; the edge has checked its form. */
function percentOf(text: string): bigint {
  const parsed = parseAmount(text, PERCENT_DECIMALS)
  if (!parsed.ok) throw new RangeError('not a percentage')
  return parsed.amount
}

/** A quotient as decimal text, exact or with its first 18 digits, rounded down. */
function quotient(above: bigint, below: bigint): string {
  const missing = QUOTIENT_DIGITS - (digits(above) - digits(below))
  const decimals = Math.max(missing, 0)
  return formatAmount((above * 10n ** BigInt(decimals)) / below, decimals)
}

function digits(value: bigint): number {
  return value.toString().length
}
