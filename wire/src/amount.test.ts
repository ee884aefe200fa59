import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { formatAmount, parseAmount } from './amount.ts'

describe('amounts', () => {
  test('every amount of base units survives being written and read back', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        fc.integer({ min: 0, max: 36 }),
        (units, decimals) => {
          expect(parseAmount(formatAmount(units, decimals), decimals)).toEqual({
            ok: true,
            amount: units,
          })
        },
      ),
    )
  })

  test.each([
    '',
    '-1',
    '+1',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '01',
    '.5',
    '5.',
    ' 1',
    '1 ',
    '1,5',
    '١',
    '1_000',
  ])('%j is not an amount', (text) => {
    expect(parseAmount(text, 18)).toEqual({ ok: false, problem: 'malformed' })
  })

  test('more fraction digits than the asset has is refused, not rounded', () => {
    expect(parseAmount('0.0000001', 6)).toEqual({ ok: false, problem: 'too-fine' })
    expect(parseAmount('0.0000010', 6)).toEqual({ ok: false, problem: 'too-fine' })
    expect(parseAmount('0.000001', 6)).toEqual({ ok: true, amount: 1n })
  })

  test('what a uint256 cannot hold is too large', () => {
    expect(parseAmount((2n ** 256n).toString(), 0)).toEqual({ ok: false, problem: 'too-large' })
  })
})
