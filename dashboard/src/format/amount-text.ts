import { formatAmount } from '@florin/wire/amount.ts'

/** An amount for people: its whole part in groups of three, and its fraction without the point. */
export interface AmountText {
  readonly whole: string
  readonly fraction: string
}

/** Splits exact decimal text ("-1234.5") without rounding; text that is no plain decimal comes back whole. */
export function amountText(text: string): AmountText {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (!parts) return { whole: text, fraction: '' }
  const [, sign = '', digits = '', fraction = ''] = parts
  return { whole: sign + digits.replaceAll(/\B(?=(\d{3})+$)/g, ','), fraction }
}

/** The same as one text: "1,234.5", to the last digit. */
export function exactText(text: string): string {
  const { whole, fraction } = amountText(text)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Room that a column keeps for fractions at most; a longer one is still shown whole. */
const COLUMN_FRACTION_DIGITS_MAX = 8

/** How many fraction digits a column of these amounts keeps room for, so that their points stand under each other. */
export function columnFractionDigits(texts: readonly string[]): number {
  const lengths = texts.map((text) => amountText(text).fraction.length)
  return Math.min(Math.max(0, ...lengths), COLUMN_FRACTION_DIGITS_MAX)
}

/** Base units as exact decimal text of whole units. */
export function wholeUnits(baseUnits: string, decimals: number): string {
  return formatAmount(BigInt(baseUnits), decimals)
}
