const DECIMAL = /^(\d{1,78})(?:\.(\d{1,78}))?(?:[eE]([+-]?\d{1,2}))?$/

/** An amount of whole units in the smallest ones, exactly; undefined when it is none, or finer than the asset. */
export function baseUnitsOf(amount: string | number, decimals: number): bigint | undefined {
  const parts = DECIMAL.exec(String(amount))
  if (parts === null) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = parts
  const shift = decimals - fraction.length + Number(exponent)
  const digits = BigInt(whole + fraction)
  if (shift >= 0) return digits * 10n ** BigInt(shift)
  const divisor = 10n ** BigInt(-shift)
  return digits % divisor === 0n ? digits / divisor : undefined
}
