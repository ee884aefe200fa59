import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { compareDecimals, isDecimal } from './decimal.ts'

const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.option(fc.stringMatching(/^[0-9]{1,30}$/)))
  .map(([whole, fraction]) => (fraction === null ? `${whole}` : `${whole}.${fraction}`))

/** The same comparison by integers of 10^-30. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(30, '0'))
}

describe('plain decimals', () => {
  test('are compared exactly, however many digits they have', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(Math.sign(compareDecimals(a, b))).toBe(Math.sign(Number(scaled(a) - scaled(b))))
        expect(compareDecimals(a, `${a}${a.includes('.') ? '0' : '.0'}`)).toBe(0)
      }),
    )
  })

  test('that one double cannot tell apart are different', () => {
    expect(compareDecimals('100.00000000000000000001', '100')).toBeGreaterThan(0)
    expect(compareDecimals('0.00099999999999999999999', '0.001')).toBeLessThan(0)
    expect(compareDecimals('9', '10')).toBeLessThan(0)
  })

  test.each(['', '-1', '+1', '1e3', '0x10', 'NaN', '.5', '5.', '01', ' 1', '1\n', '1,5'])(
    '%j is none',
    (text) => {
      expect(isDecimal(text)).toBe(false)
      expect(() => compareDecimals(text, '1')).toThrow(RangeError)
    },
  )
})
