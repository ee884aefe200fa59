import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlCall, sdkCall } from './payment-code.ts'

const order = { walletAddress: '0xA', recipientAddress: `0x'; rm "$HOME" \\`, amount: '1' }
const sample = {
  baseUrl: 'http://127.0.0.1:4020',
  apiKey: 'florin_test_x',
  order,
  idempotencyKey: 'k',
}

test('the line for a shell hands over exactly the order, whatever was typed', () => {
  const line = curlCall(sample).replace(/^curl/, `printf '%s\\n'`)
  const words = execFileSync('sh', ['-c', line], { encoding: 'utf8' }).split('\n')
  expect(words).toContain('http://127.0.0.1:4020/payment/send')
  expect(words).toContain('Authorization: Bearer florin_test_x')
  expect(JSON.parse(words[words.indexOf('-d') + 1] ?? '')).toEqual(order)
})

test('without a key the code reads one from the environment', () => {
  expect(curlCall({ ...sample, apiKey: null })).toContain('"Authorization: Bearer $FLORIN_API_KEY"')
  expect(sdkCall({ ...sample, apiKey: null })).toContain('apiKey: process.env.FLORIN_API_KEY')
})

test('the code for the client escapes what was typed', () => {
  expect(sdkCall(sample)).toContain(String.raw`recipientAddress: '0x\'; rm "$HOME" \\',`)
})
