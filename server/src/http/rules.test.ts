import { describe, expect, test } from 'vitest'
import Type from 'typebox'
import { Exactly, MoneyText, ShareText } from '@florin/wire/fields.ts'
import { bodyRules, queryRules } from './rules.ts'

describe('a query', () => {
  const check = queryRules()(
    Exactly({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      type: Type.Optional(Type.Enum(['sent', 'received'])),
      cursor: Type.Optional(Type.String()),
      amount: Type.Optional(MoneyText({ minimum: '0.001' })),
      part: Type.Optional(ShareText('how much')),
    }),
  )

  test('has its numbers read from text', () => {
    expect(check({ limit: '50' }, 'query')).toEqual({ ok: true, value: { limit: 50 } })
  })

  test('has its amounts as programs write numbers, as a body has', () => {
    expect(check({ amount: '1.5e-2', part: '1e2' }, 'query')).toEqual({
      ok: true,
      value: { amount: '0.015', part: '100' },
    })
    expect(check({ part: '50%', cursor: '1e2' }, 'query')).toEqual({
      ok: true,
      value: { part: '50%', cursor: '1e2' },
    })
  })

  test.each([
    [{ limit: '501' }, { limit: 'must be between 1 and 500' }],
    [{ limit: '5x' }, { limit: 'must be an integer' }],
    [{ limit: '1.5' }, { limit: 'must be an integer' }],
    [{ limit: '' }, { limit: 'must be an integer' }],
    // Bounds are not asked of what no double can hold.
    [{ limit: 'Infinity' }, { limit: 'must be a number that a double can hold' }],
    [{ limit: '-1e400' }, { limit: 'must be a number that a double can hold' }],
    [{ limit: '1e308' }, { limit: 'must be between 1 and 500' }],
    [{ limit: ['1', '2'] }, { limit: 'must be given once' }],
    [{ type: ['sent', 'sent'] }, { type: 'must be given once' }],
    [{ amount: ['1', '1'] }, { amount: 'must be given once' }],
    [{ amount: '1e-4' }, { amount: 'must be at least 0.001' }],
    [{ amount: '50%' }, { amount: 'must be a plain decimal number, such as 0.25' }],
    [
      { cursor: ['1', '2'], limt: ['1', '2'] },
      { cursor: 'must be given once', limt: 'unknown field' },
    ],
    [{ type: 'all' }, { type: 'must be one of sent, received' }],
    [{ limt: '1' }, { limt: 'unknown field' }],
    [{ cursor: 'a\0b' }, { cursor: 'must not have a NUL character' }],
  ])('%j is refused', (query, faults) => {
    expect(check(query, 'query')).toEqual({ ok: false, faults })
  })
})

describe('a rule is told as it is', () => {
  const check = bodyRules()(
    Exactly({
      name: Type.Optional(Type.String({ minLength: 1 })),
      password: Type.Optional(Type.String({ minLength: 12 })),
      scopes: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
      pair: Type.Optional(Type.Array(Type.String(), { minItems: 2 })),
    }),
  )

  test.each([
    [{ name: '' }, { name: 'must not be empty' }],
    [{ password: 'short' }, { password: 'must have at least 12 characters' }],
    [{ scopes: [] }, { scopes: 'must not be empty' }],
    [{ pair: ['one'] }, { pair: 'must have at least 2 entries' }],
  ])('%j', (body, faults) => {
    expect(check(body, 'body')).toEqual({ ok: false, faults })
  })
})
