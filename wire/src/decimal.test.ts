import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { compareDecimals, isDecimal, withoutExponent } from './decimal.ts'

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

describe('a JSON number with an exponent', () => {
  test.each([
    ['1e-05', '0.00001'],
    ['5E-05', '0.00005'],
    ['1.25e-5', '0.0000125'],
    ['12.5e1', '125'],
    ['12.5e+3', '12500'],
    ['1.234e2', '123.4'],
    ['0.05e2', '5'],
    ['0e5', '0'],
    ['0.0e-1', '0'],
    ['0e-2', '0'],
    ['25000000e-8', '0.25'],
    ['1.0e0', '1'],
    ['0.25', '0.25'],
    ['10', '10'],
  ])('%s is %s, digit by digit and without zeros that say nothing', (source, plain) => {
    expect(withoutExponent(source)).toBe(plain)
  })

  test('is the number that a double reads, whatever its spelling', () => {
    const spelling = fc.tuple(
      fc.integer({ min: 1, max: 2 ** 53 - 1 }),
      fc.integer({ min: -70, max: 60 }),
    )
    fc.assert(
      fc.property(spelling, ([digits, exponent]) => {
        const plain = withoutExponent(`${digits}e${exponent}`)
        expect(isDecimal(plain)).toBe(true)
        expect(Number(plain)).toBe(Number(`${digits}e${exponent}`))
        expect(withoutExponent((digits * 2 ** -40).toExponential())).toSatisfy(
          (text: string) => Number(text) === digits * 2 ** -40,
        )
      }),
    )
  })

  test.each([
    '-1e2',
    '1e79',
    '1e-79',
    '1e400',
    '1e-400',
    `1e${'9'.repeat(5000)}`,
    '1e',
    'e1',
    '1e1.5',
  ])('%s is left as it is, and no plain decimal', (source) => {
    expect(withoutExponent(source)).toBe(source)
    expect(isDecimal(source)).toBe(false)
  })
})
