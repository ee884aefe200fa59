import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemRandom } from '../kernel/random.ts'
import { minimumOut, partOf, priceOf, slippageUsed } from './slippage.ts'

const SEED = Number(process.env['FLORIN_SEED'] ?? Buffer.from(systemRandom.bytes(4)).readInt32BE())
const RUNS = { seed: SEED, numRuns: 2_000 }

const units = fc.bigInt({ min: 1n, max: 2n ** 128n })
/** Percent with up to two digits behind the point, as hundredths. */
const hundredths = fc.integer({ min: 1, max: 5_000 })
const text = (value: number) => `${Math.floor(value / 100)}.${String(value % 100).padStart(2, '0')}`

describe('slippage', () => {
  test('the least that may come out is at least what was said, and less than one unit above it', () => {
    console.log(`slippage: FLORIN_SEED=${SEED}`)
    fc.assert(
      fc.property(units, hundredths, (out, slippage) => {
        const least = minimumOut(out, text(slippage))
        const said = out * BigInt(10_000 - slippage)
        expect(least * 10_000n).toBeGreaterThanOrEqual(said)
        expect((least - 1n) * 10_000n).toBeLessThan(said)
        expect(least).toBeGreaterThan(0n)
        expect(least).toBeLessThanOrEqual(out)
      }),
      RUNS,
    )
  })

  test('more slippage never asks for more', () => {
    fc.assert(
      fc.property(units, hundredths, hundredths, (out, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one]
        expect(minimumOut(out, text(more))).toBeLessThanOrEqual(minimumOut(out, text(less)))
      }),
      RUNS,
    )
  })

  test('what was used stays within what was allowed as long as the minimum is kept', () => {
    fc.assert(
      fc.property(units, hundredths, units, (quoted, slippage, beside) => {
        const least = minimumOut(quoted, text(slippage))
        const received = least + beside
        const used = Number(slippageUsed(quoted, received))
        expect(used).toBeGreaterThanOrEqual(0)
        expect(used).toBeLessThanOrEqual(slippage / 100)
        if (received >= quoted) expect(used).toBe(0)
      }),
      RUNS,
    )
  })
})

describe('a part of a balance', () => {
  test('is exact, rounded down, and all of it at 100 percent', () => {
    fc.assert(
      fc.property(units, fc.integer({ min: 1, max: 10_000 }), (balance, share) => {
        const part = partOf(balance, text(share))
        const exact = balance * BigInt(share)
        expect(part * 10_000n).toBeLessThanOrEqual(exact)
        expect((part + 1n) * 10_000n).toBeGreaterThan(exact)
        expect(partOf(balance, '100')).toBe(balance)
      }),
      RUNS,
    )
    expect(partOf(7n, '50')).toBe(3n)
  })
})

describe('a price', () => {
  test('is native currency per whole token, whatever the decimals', () => {
    const price = priceOf(
      { units: 5n * 10n ** 17n, decimals: 18 },
      { units: 2_000_000n, decimals: 6 },
    )
    expect(price).toBe('0.25')
    expect(priceOf({ units: 1n, decimals: 9 }, { units: 3n * 10n ** 18n, decimals: 6 })).toBe(
      '0.000000000000000000000333333333333333333',
    )
  })

  test('keeps 18 digits of what is not exact, and never says more than was paid', () => {
    fc.assert(
      fc.property(units, units, (native, token) => {
        const price = priceOf({ units: native, decimals: 18 }, { units: token, decimals: 18 })
        const [whole = '', fraction = ''] = price.split('.')
        const scale = 10n ** BigInt(fraction.length)
        const told = BigInt(whole + fraction)
        expect(told * token).toBeLessThanOrEqual(native * scale)
        const digits = (whole + fraction).replace(/^0+/, '').length
        const isExact = told * token === native * scale
        if (!isExact) expect(digits).toBeGreaterThan(0)
      }),
      RUNS,
    )
  })
})
