import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unitsOf } from './fields.ts'

const MAX = 2n ** 256n - 1n

/** The grammar, said apart from the code: 0, or a digit that is not 0 and up to 77 more, at most a uint256. */
function isUnits(text: string): boolean {
  const digits = [...text].every((letter) => '0123456789'.includes(letter))
  if (!digits || text === '' || text.length > 78) return false
  return (text === '0' || !text.startsWith('0')) && BigInt(text) <= MAX
}

describe('an amount', () => {
  test('is taken exactly when it is one, and as what it says', () => {
    const digit = fc.constantFrom(...'0123456789')
    const stray = fc.constantFrom(...'0123456789+-.,eExX_ \n\u0660\uff11\u{1d7d8}n')
    const texts = fc.oneof(
      fc.bigInt({ min: 0n, max: MAX * 4n }).map(String),
      fc.string({ unit: digit, maxLength: 80 }),
      fc.string({ unit: stray, maxLength: 12 }),
      fc.string({ maxLength: 12 }),
      fc.double().map(String),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const units = unitsOf(text)
        expect(units !== undefined).toBe(isUnits(text))
        if (units !== undefined) expect(`${units}`).toBe(text)
      }),
      { numRuns: 20_000 },
    )
  })

  test.each([`${MAX}`, '0', '1', '9'.repeat(77)])('at the bound: %s', (text) => {
    expect(unitsOf(text)).toBe(BigInt(text))
  })

  test.each([`${MAX + 1n}`, '9'.repeat(78), '', '00', '-0', '1e3', '0x1', ' 1', '1 ', '1_0', '１'])(
    'that is none: "%s"',
    (text) => {
      expect(unitsOf(text)).toBeUndefined()
    },
  )

  test.each([1, 1n, 0.5, null, undefined, true, ['1'], { toString: () => '1' }, Object('1')])(
    'that is no text: %s',
    (value) => {
      expect(unitsOf(value)).toBeUndefined()
    },
  )
})
