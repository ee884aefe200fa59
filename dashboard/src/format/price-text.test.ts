import { expect, test } from 'vitest'
import { priceText } from './price-text.ts'

test.each([
  ['0.000333666999333', '0.000333666'],
  ['2988.020943', '2988.02'],
  ['12345678.9', '12345678'],
  ['0.1', '0.1'],
  ['1.500000', '1.5'],
  ['0', '0'],
  ['0.000000000000000001', '0.000000000000000001'],
])('a price of %s is shown as %s', (exact, shown) => {
  expect(priceText(exact)).toBe(shown)
})
