import { compareDecimals } from '@florin/wire/decimal.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { priceText, ratioOf, shownText, valueOf } from './price.ts'

const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
const decimals = fc.integer({ min: 0, max: 18 })

describe('a price', () => {
  test('is the quotient of what was paid and what was got, and nothing without both', () => {
    const native = { native: 18, token: 6 }
    const ratio = ratioOf(5n * 10n ** 17n, 200_000_000n)
    expect(ratio && priceText(ratio, native)).toBe('0.0025')
    expect(ratioOf(0n, 5n)).toBeUndefined()
    expect(ratioOf(5n, 0n)).toBeUndefined()
  })

  test('shows 18 digits, and whole digits all', () => {
    expect(shownText(10n ** 36n / 3n, 36)).toBe('0.333333333333333333')
    expect(shownText(1_234_567_890_123_456_789_012n, 0)).toBe('1234567890123456789012')
    expect(shownText(-15_000n, 4)).toBe('-1.5')
    expect(shownText(0n, 4)).toBe('0')
  })

  test('is right for tokens with more digits than a ratio has', () => {
    expect(priceText(10n ** 36n, { native: 0, token: 40 })).toBe(`1${'0'.repeat(40)}`)
  })

  test('values what was got at no more than was paid, and at no less than a millionth below', () => {
    fc.assert(
      fc.property(amount, amount, decimals, decimals, (native, token, one, other) => {
        const ratio = ratioOf(native, token)
        if (ratio === undefined) return
        const value = valueOf(token, ratio)
        expect(value).toBeLessThanOrEqual(native)
        expect(native - value).toBeLessThanOrEqual(native / 1_000_000n + 1n)
        const text = priceText(ratio, { native: one, token: other })
        expect(compareDecimals(text, '0')).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
