import { expect, test } from 'vitest'
import { deliveryAnswer } from './delivery-answer.ts'

test('what became of a request is said in words, and a reason that nobody knows yet is not hidden', () => {
  expect(deliveryAnswer(undefined)).toBe('none yet')
  expect(deliveryAnswer({ status: 503, error: null })).toBe('503')
  expect(deliveryAnswer({ status: null, error: 'name_not_found' })).toBe('host name not found')
  expect(deliveryAnswer({ status: null, error: 'struck_by_lightning' })).toBe('struck_by_lightning')
  expect(deliveryAnswer({ status: null, error: null })).toBe('none')
})
