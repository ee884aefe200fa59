import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountText, wholeUnits } from './amount-text.ts'

test('an amount is grouped and split at its point, and nothing of it is rounded', () => {
  expect(amountText('1234567.000000000000000001')).toEqual({
    whole: '1,234,567',
    fraction: '000000000000000001',
  })
  expect(amountText('-1000')).toEqual({ whole: '-1,000', fraction: '' })
  expect(amountText('999')).toEqual({ whole: '999', fraction: '' })
  expect(amountText('0.5')).toEqual({ whole: '0', fraction: '5' })
})

test('text that is no plain decimal is shown as it came', () => {
  for (const text of ['', '1e-7', '1.', '.5', 'NaN', '1,000']) {
    expect(amountText(text)).toEqual({ whole: text, fraction: '' })
  }
})

test('base units and the text of them are the same number', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.nat({ max: 30 }),
      (units, digits) => {
        const { whole, fraction } = amountText(wholeUnits(String(units), digits))
        expect(BigInt(whole.replaceAll(',', '') + fraction.padEnd(digits, '0'))).toBe(units)
      },
    ),
  )
})
