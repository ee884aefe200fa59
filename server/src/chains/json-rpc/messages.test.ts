import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAnswers } from './messages.ts'

const answered = (result: string): unknown =>
  readAnswers(`{"jsonrpc":"2.0","id":0,"result":${result}}`, 1, (text) => text)[0]

test('every integer of an answer keeps all of its digits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), (integer) => {
      const isSafe = Number.isSafeInteger(Number(integer))
      const value = isSafe ? Number(integer) : integer
      expect(answered(`[{"lamports": ${integer}}]`)).toEqual({
        ok: true,
        result: [{ lamports: value }],
      })
    }),
  )
})

test('the first integers beyond the precision of a number are told apart', () => {
  const near = Array.from({ length: 8 }, (_, step) => 2n ** 53n - 4n + BigInt(step))
  for (const integer of near.flatMap((each) => [each, -each])) {
    const answer = answered(`{"lamports":${integer}}`)
    const kept = Number.isSafeInteger(Number(integer)) ? Number(integer) : integer
    expect(answer).toEqual({ ok: true, result: { lamports: kept } })
  }
})

test('what only looks like a large integer stays what it is', () => {
  const text = '{"log":"a,1234567890123456789","part":0.12345678901234567890,"large":1e30}'
  expect(answered(text)).toEqual({ ok: true, result: JSON.parse(text) })
})
