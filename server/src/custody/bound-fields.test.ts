import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundFields } from './bound-fields.ts'

const fields = fc.array(fc.option(fc.string({ unit: 'grapheme', maxLength: 6 })), { maxLength: 5 })

test('two different lists of fields never give the same bytes', () => {
  fc.assert(
    fc.property(fields, fields, (one, other) => {
      const same = Buffer.compare(boundFields(one), boundFields(other)) === 0
      expect(same).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
    {
      examples: [
        [
          ['ab', 'c'],
          ['a', 'bc'],
        ],
        [[''], [null]],
        [[], ['']],
        [[null], [null, null]],
      ],
    },
  )
})
