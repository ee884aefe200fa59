import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAnswer } from './read-answer.ts'
import { requestUrl } from './request-url.ts'

test('money keeps every digit, wherever it stands, and nothing else changes', () => {
  expect(
    readAnswer(
      `{"amount": 0.123456789012345678, "fee":null, "blockHeight":12, "a\\"b":"amount\\":1",
       "payments":[{"amount":1e-7,"priorityFee":-0.5}], "policy":{"limits":[{"perDay":10}]}}`,
    ),
  ).toEqual({
    ...{ amount: '0.123456789012345678', fee: null, blockHeight: 12, 'a"b': 'amount":1' },
    ...{
      payments: [{ amount: '1e-7', priorityFee: '-0.5' }],
      policy: { limits: [{ perDay: '10' }] },
    },
  })
})

test("the caller's own metadata is left as it is, and what follows it is not", () => {
  const text = '{"metadata":{"amount":1,"deep":[{"fee":2}]},"fee":3,"metadata2":{"amount":4}}'
  expect(readAnswer(text)).toEqual({
    ...{ metadata: { amount: 1, deep: [{ fee: 2 }] }, fee: '3', metadata2: { amount: '4' } },
  })
})

test('everything without money reads as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(readAnswer(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('a long text does not exhaust the stack', () => {
  const long = 'x\\n'.repeat(1_000_000)
  expect(readAnswer(`{"message":"${long}","amount":1}`)).toMatchObject({ amount: '1' })
})

test.each([
  ['..', '/a/%20..'],
  ['', '/a/%20'],
  ['b/../c?d#e', '/a/b%2F..%2Fc%3Fd%23e'],
])('the part %j cannot leave its place in the path', (part, path) => {
  expect(new URL(requestUrl('http://h', '/a/{part}', { parts: { part } })).pathname).toBe(path)
})
