import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitsSchema } from './fits-schema.ts'

const name = fc.constantFrom('a', 'b', 'c')
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, 1, 2.5, '', 'a', 'abc'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(name, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any
const types = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']
const schema = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom(...types),
        enum: fc.array(value, { minLength: 1, maxLength: 2 }),
        const: value,
        minimum: fc.integer({ min: 0, max: 2 }),
        exclusiveMaximum: fc.integer({ min: 0, max: 3 }),
        maxLength: fc.integer({ min: 0, max: 3 }),
        pattern: fc.constant('^a'),
        items: tie('any'),
        prefixItems: fc.array(tie('any'), { minLength: 1, maxLength: 2 }),
        minItems: fc.integer({ min: 0, max: 2 }),
        properties: fc.dictionary(name, tie('any'), { maxKeys: 3, noNullPrototype: true }),
        required: fc.uniqueArray(name, { maxLength: 2 }),
        additionalProperties: tie('any'),
        maxProperties: fc.integer({ min: 0, max: 3 }),
        allOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }),
        not: tie('any'),
      },
      { requiredKeys: [] },
    ),
  ),
})).any

test('what a full validator takes is taken, and without rules that are not looked at the two agree', () => {
  const isWhole = (each: unknown) => !/"(pattern|oneOf|not)":/.test(JSON.stringify(each))
  fc.assert(
    fc.property(schema, value, (rules, given) => {
      const ajv = new Ajv2020({ strict: false })
      const isValid = ajv.compile(rules)(given)
      const said = fitsSchema(rules, given)
      if (isValid) expect(said).toBe('fits')
      else if (isWhole(rules)) expect(said).toBe('differs')
    }),
    { numRuns: 150, seed: 20_261_121 },
  )
})

test.each([
  ['another address', { $ref: 'https://other.example/schema' }],
  ['another address, deep inside', { properties: { a: { items: [{ $ref: 'file:///etc' }] } } }],
  ['an identity of its own', { $id: 'https://other.example/', type: 'object' }],
  ['nothing', { $ref: '#/definitions/none' }],
])('a schema that refers to %s is not followed', (_, rules) => {
  expect(fitsSchema(rules, {})).toBe('unclear')
})

test.each([[7], ['text'], [null], [[]], [{ properties: { a: 7 } }]])('%j is no schema', (rules) => {
  expect(fitsSchema(rules, { a: 1 })).toBe('unclear')
})

test('a schema that names a part of itself is followed there', () => {
  const rules = {
    properties: { city: { $ref: '#/$defs/name~1of' } },
    $defs: { 'name/of': { type: 'string' } },
  }
  expect(fitsSchema(rules, { city: 'Graz' })).toBe('fits')
  expect(fitsSchema(rules, { city: 7 })).toBe('differs')
})

test('work that doubles with every line, or never ends, is given up', () => {
  const doubling = Array.from({ length: 40 }, (_, at) => [
    `d${at}`,
    { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
  ])
  const $defs = { ...Object.fromEntries(doubling), d40: true }
  expect(fitsSchema({ $ref: '#/$defs/d0', $defs }, {})).toBe('unclear')
  expect(fitsSchema({ $ref: '#' }, {})).toBe('unclear')
})

test('long texts, wide objects and long lists are work, too: few steps do not go through them often', () => {
  const fan = (rules: object) => ({
    $ref: '#/$defs/a0',
    $defs: {
      ...Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [
          `a${at}`,
          { allOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}` }] },
        ]),
      ),
      a12: rules,
    },
  })
  const text = 'x'.repeat(14_000)
  const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`n${at}`, 1]))
  for (const [rules, value] of [
    [{ minLength: 1 }, text],
    [{ const: `${text}y` }, text],
    [{ enum: [text] }, text],
    [{ type: Array.from({ length: 2_000 }, () => 'null') }, 1],
    [{ minProperties: 1 }, wide],
    [{ const: { ...wide, n1: 2 } }, wide],
    [{ required: Object.keys(wide) }, wide],
    [{ minimum: 1, ...wide }, 2],
    [{ properties: wide }, {}],
  ] as const) {
    // Some show at the first look that the value differs; the others are given up.
    const differs = 'const' in rules || 'type' in rules
    expect(differs ? ['differs', 'unclear'] : ['unclear']).toContain(fitsSchema(fan(rules), value))
  }
  expect(fitsSchema({ minLength: 1 }, text)).toBe('fits')
})
