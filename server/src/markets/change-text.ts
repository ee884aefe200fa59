import { shownText } from './price.ts'
import type { Ratio } from './price.ts'

const PERCENT_DIGITS = 4

/** Percent from one price to the other, rounded down to four digits; null when either is not known. */
export function changeText(before: Ratio | null, now: Ratio | undefined): string | null {
  if (before === null || now === undefined) return null
  const scale = 10n ** BigInt(PERCENT_DIGITS)
  return shownText(((now - before) * 100n * scale) / before, PERCENT_DIGITS)
}
