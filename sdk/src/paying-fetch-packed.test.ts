import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Florin } from './florin.ts'
import { limits } from './limits.ts'
import { payingFetch } from './paying-fetch.ts'

/** A call that a seller answers with these bytes, packed as its header says. */
function callAnswered(bytes: Uint8Array, encoding: string) {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
  const body = Buffer.from(bytes).toString('base64')
  const response = { status: 200, headers, body, bodyEncoding: 'base64' }
  const answer = { paid: true, paymentId: 'pay_1', amount: 0.01, response }
  Object.assign(florin.payments, { fetch: async () => answer })
  const pay = payingFetch(florin, { walletAddress: '0x1', ceiling: '0.05' })
  return pay('https://shop.example/report')
}

const GOODS = Buffer.from('{"report":"Sales are up."}')

test.each([
  ['gzip', gzipSync(GOODS)],
  ['x-gzip', gzipSync(GOODS)],
  ['GZIP', gzipSync(GOODS)],
  ['deflate', deflateSync(GOODS)],
] as const)('goods that came packed by %s are unpacked, as any fetch does', async (name, bytes) => {
  const answer = await callAnswered(bytes, name)
  expect(await answer.json()).toEqual({ report: 'Sales are up.' })
  expect(answer.headers.has('content-encoding')).toBe(false)
  expect(answer.headers.get('payment-id')).toBe('pay_1')
})

test.each([
  ['br', brotliCompressSync(GOODS)],
  ['gzip, gzip', gzipSync(gzipSync(GOODS))],
] as const)('what is packed by %s is handed on as it came, and says so', async (name, bytes) => {
  const answer = await callAnswered(bytes, name)
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
  expect(answer.headers.get('content-encoding')).toBe(name)
})

test.each([
  ['is broken', Buffer.from('no gzip at all')],
  ['has no end', gzipSync(Buffer.alloc(limits.unpackedBytesMax + 1))],
] as const)('a body that %s when it is unpacked is handed on packed', async (_, bytes) => {
  const answer = await callAnswered(bytes, 'gzip')
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
  expect(answer.headers.get('content-encoding')).toBe('gzip')
})
