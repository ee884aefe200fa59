import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { RawJson } from '@florin/wire/raw-json.ts'
import { writeJson } from './write-json.ts'

describe('writing JSON', () => {
  test('is JSON.stringify where nothing is raw', () => {
    const date = fc.date({ noInvalidDate: true })
    const anything = fc.anything({ values: [fc.string({ unit: 'binary' }), fc.double(), date] })
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anything), (fields) => {
        expect(writeJson(fields)).toBe(JSON.stringify(fields))
      }),
      { examples: [[{ a: undefined, b: [undefined, NaN, -0], 'c"': null, d: { e: undefined } }]] },
    )
  })

  test('writes raw text as it stands, at any depth', () => {
    const raw = new RawJson('{ "a":1.50 }')
    expect(writeJson({ x: raw, y: [raw, { z: new RawJson('0.10') }], n: 1 })).toBe(
      '{"x":{ "a":1.50 },"y":[{ "a":1.50 },{"z":0.10}],"n":1}',
    )
  })
})
