import { expect, test } from 'vitest'
import { ApiError } from './api-error.ts'
import { openOrderKeys } from './order-keys.ts'

const order = { mint: 'a', amount: '1.5' }
const answered = (code: ApiError['code'], status: number) =>
  new ApiError({ code, status, message: 'no' })

test('an order of which nothing is known keeps its key, through changes and back', () => {
  const keys = openOrderKeys()
  const key = keys.send(order)
  keys.failed(order, answered('NO_ANSWER', 0))
  keys.failed(order, answered('INTERNAL_ERROR', 500))
  keys.failed(order, answered('IDEMPOTENCY_CONFLICT', 409))
  keys.failed(order, answered('RATE_LIMIT', 429))
  keys.failed(order, answered('UNAUTHORIZED', 401))
  keys.failed(order, answered('FORBIDDEN', 403))
  keys.failed(order, answered('NOT_FOUND', 404))
  expect(keys.send({ ...order, amount: '2' })).not.toBe(key)
  expect(keys.send({ ...order })).toBe(key)
})

test('an order that was carried out, refused or failed for good gets a new key', () => {
  const keys = openOrderKeys()
  const first = keys.send(order)
  keys.done(order)
  const second = keys.send(order)
  expect(second).not.toBe(first)
  keys.failed(order, answered('TRANSACTION_FAILED', 422))
  const third = keys.send(order)
  expect(third).not.toBe(second)
  keys.failed(order, answered('INSUFFICIENT_BALANCE', 400))
  expect(keys.send(order)).not.toBe(third)
})

test('an order that was sent is not forgotten, whatever is typed meanwhile; what is shown is what is sent', () => {
  const keys = openOrderKeys()
  const shown = keys.keyOf(order)
  expect(keys.send(order)).toBe(shown)
  for (let typed = 0; typed < 1_000; typed += 1) {
    expect(keys.keyOf({ ...order, amount: `${typed}` })).not.toBe(shown)
  }
  expect(keys.keyOf(order)).toBe(shown)
  expect(keys.send(order)).toBe(shown)
})
