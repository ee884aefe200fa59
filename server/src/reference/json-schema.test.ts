import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import {
  BaseUnitsText,
  Exactly,
  ExactNumber,
  HttpUrl,
  KeptObject,
  MoneyText,
  Nullable,
  Said,
} from '@florin/wire/fields.ts'
import { bodyRules } from '../http/rules.ts'
import { sourceShape } from '../http/source-shape.ts'
import { readStrictJson } from '../http/strict-json.ts'
import { toJsonSchema, UnknownKeyword } from './json-schema.ts'

const closed = { open: false }
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
ajv.addVocabulary(['x-bytes-max'])
ajv.addFormat('uri', (text: string) => URL.canParse(text))

describe('a schema of the table becomes', () => {
  test.each<[string, object, object]>([
    [
      'money',
      MoneyText({ minimum: '0.001', maximum: '100' }, 'Whole units.'),
      {
        description: 'Whole units.',
        oneOf: [
          { type: 'number', minimum: 0.001, maximum: 100 },
          {
            type: 'string',
            pattern: String.raw`^(0|[1-9][0-9]{0,77})(?:\.([0-9]{1,78}))?$`,
            description: 'Decimal text, between 0.001 and 100.',
          },
        ],
      },
    ],
    [
      'a URL',
      HttpUrl('What for.'),
      {
        type: 'string',
        maxLength: 2048,
        description: 'What for.',
        format: 'uri',
        pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
      },
    ],
    [
      'an object that is kept',
      KeptObject(8192, 'Yours.'),
      { type: 'object', description: 'Yours.', additionalProperties: true, 'x-bytes-max': 8192 },
    ],
    [
      'what may be null',
      Nullable(Type.Integer({ minimum: 0 })),
      { type: ['integer', 'null'], minimum: 0 },
    ],
    [
      'what may be null, and is said',
      Said('Seen.', Nullable(ExactNumber)),
      { type: ['number', 'null'], description: 'Seen.' },
    ],
    [
      'a choice that may be null',
      Nullable(Type.Enum(['a', 'b'])),
      { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
    ],
    [
      'a map',
      Type.Record(Type.String(), Type.Literal('ok')),
      { type: 'object', additionalProperties: { type: 'string', const: 'ok' } },
    ],
    [
      'a closed object',
      Exactly({ a: Type.Optional(BaseUnitsText) }),
      {
        type: 'object',
        properties: { a: { type: 'string', pattern: '^(0|[1-9][0-9]{0,77})$' } },
        additionalProperties: false,
      },
    ],
  ])('%s', (_, schema, expected) => {
    expect(toJsonSchema(schema, closed)).toEqual(expected)
  })

  test('an open object when what reads it must survive new fields', () => {
    const schema = Exactly({ a: Exactly({ b: Type.String() }) })
    expect(JSON.stringify(toJsonSchema(schema, { open: true }))).not.toContain('additional')
    expect(JSON.stringify(toJsonSchema(schema, closed)).match(/false/g)).toHaveLength(2)
  })

  test('nothing when it has a word that no rule knows', () => {
    for (const word of ['absent', 'uniqueItems', 'if', '$ref', 'not', 'patternProperties']) {
      expect(() => toJsonSchema({ [word]: {} }, closed)).toThrow(UnknownKeyword)
    }
  })
})

describe('the document and the edge', () => {
  const bounds = { minimum: '0.001', maximum: '100' }
  const row = Exactly({
    money: MoneyText(bounds),
    url: Type.Optional(HttpUrl('x')),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
    choice: Type.Optional(Type.Enum(['a', 'b'])),
    seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 60 })),
    list: Type.Optional(Type.Array(Exactly({ a: Type.String() }), { maxItems: 2 })),
    any: Type.Optional(KeptObject(100, 'x')),
  })
  const documented = ajv.compile(toJsonSchema(row, closed))
  const check = bodyRules()(row)
  const shape = sourceShape(row)
  /** What the edge says of the same bytes. */
  const edge = (text: string) => {
    try {
      return check(readStrictJson(Buffer.from(text), shape).value, 'body').ok
    } catch {
      return false
    }
  }
  const mostly = (good: readonly unknown[], bad: readonly unknown[]) =>
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...good) }, fc.constantFrom(...bad))
  const values = fc.record(
    {
      money: fc.oneof(
        fc.integer({ min: 1, max: 100_000 }).map((count) => count / 1000),
        mostly(
          ['0.001', '100', '1.5'],
          [0, 100.5, -1, '01', '1.', '.5', '-1', '1e1', ' 1', null, [1]],
        ),
      ),
      url: mostly(['https://a.b/c', 'HTTP://a.b'], ['ftp://a.b', 'a', 'https://', '', 1]),
      text: mostly(['a', 'abcde', 'äöüßé'], ['', 'abcdef', 1]),
      choice: mostly(['a', 'b'], ['c', null]),
      seconds: mostly([0, 60], [61, -1, 1.5, '1']),
      list: mostly(
        [[], [{ a: 'x' }, { a: 'y' }]],
        [[{ a: 1 }], [{ a: 'x', b: 1 }], [{}], [1, 2, 3]],
      ),
      any: mostly([{}, { a: [1] }], [[], 'x']),
    },
    { requiredKeys: [] },
  )

  test('agree on every body, as long as money in text is within its bounds', () => {
    let good = 0
    fc.assert(
      fc.property(values, fc.constantFrom({}, {}, {}, { other: 1 }), (fields, other) => {
        const value = { ...fields, ...other }
        const taken = edge(JSON.stringify(value))
        if (taken) good += 1
        expect(documented(value)).toBe(taken)
      }),
      { numRuns: 2_000 },
    )
    expect(good).toBeGreaterThan(100)
  })
})
