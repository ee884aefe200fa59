const DIGITS = 6

/** A price of exact decimal text with six significant digits, rounded down: enough to compare, and it fits a column. */
export function priceText(exact: string): string {
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(exact)
  if (parts === null) return exact
  const [, whole = '0', fraction = ''] = parts
  if (whole !== '0') {
    const left = Math.max(0, DIGITS - whole.length)
    return joined(whole, fraction.slice(0, left))
  }
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  return joined(whole, fraction.slice(0, zeros + DIGITS))
}

function joined(whole: string, fraction: string): string {
  const kept = fraction.replace(/0+$/, '')
  return kept === '' ? whole : `${whole}.${kept}`
}
