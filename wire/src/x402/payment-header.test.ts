import { expect, test } from 'vitest'
import { encodePaymentResponse } from './payment-header.ts'

test('what a seller wrote is repeated to the letter, however long it is', () => {
  const extra = { more: Array.from({ length: 25_000 }, () => 1e20), name: 'ä€𝄞' }
  const text = Buffer.from(encodePaymentResponse({ extra }), 'base64').toString()
  expect(JSON.parse(text)).toEqual({ extra })
})
