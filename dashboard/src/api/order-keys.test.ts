import { expect, test } from 'vitest'
import { ApiError } from './api-error.ts'
import { openOrderKeys } from './order-keys.ts'

const order = { mint: 'a', amount: '1' }
const answered = (code: ApiError['code'], status: number) =>
  new ApiError({ code, status, message: 'no' })

test('an order of which nothing is known keeps its key, through changes and back', () => {
  const keys = openOrderKeys()
  const key = keys.keyOf(order)
  keys.failed(order, answered('NO_ANSWER', 0))
  keys.failed(order, answered('INTERNAL_ERROR', 500))
  keys.failed(order, answered('IDEMPOTENCY_CONFLICT', 409))
  keys.failed(order, answered('RATE_LIMIT', 429))
  expect(keys.keyOf({ ...order, amount: '2' })).not.toBe(key)
  expect(keys.keyOf({ ...order })).toBe(key)
})

test('an order that was carried out, refused or failed for good gets a new key', () => {
  const keys = openOrderKeys()
  const first = keys.keyOf(order)
  keys.done(order)
  const second = keys.keyOf(order)
  expect(second).not.toBe(first)
  keys.failed(order, answered('TRANSACTION_FAILED', 422))
  const third = keys.keyOf(order)
  expect(third).not.toBe(second)
  keys.failed(order, answered('INSUFFICIENT_BALANCE', 400))
  expect(keys.keyOf(order)).not.toBe(third)
})
