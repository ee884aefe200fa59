import { expect, test } from 'vitest'
import { Florin } from './florin.ts'
import { payingFetch } from './paying-fetch.ts'

/** The answer of a call whose service tells this of the seller's. */
async function answerOf(told: object) {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const response = { status: 200, body: 'goods', bodyEncoding: 'utf8', ...told }
  const answer = { paid: true, paymentId: 'pay_1', amount: 0.01, response }
  Object.assign(florin.payments, { fetch: async () => answer })
  return payingFetch(florin, { walletAddress: '0x1', ceiling: '0.05' })('https://shop.example/')
}

test('cookies of a seller come one by one, as from any fetch', async () => {
  const setCookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2; Path=/']
  const headers = { 'set-cookie': setCookies.join(', '), 'x-a': '1' }
  const answer = await answerOf({ headers, setCookies })
  expect(answer.headers.getSetCookie()).toEqual(setCookies)
  expect(answer.headers.get('x-a')).toBe('1')
})

test('of a service that does not tell them apart the one header is handed on', async () => {
  const answer = await answerOf({ headers: { 'set-cookie': 'a=1, b=2' } })
  expect(answer.headers.getSetCookie()).toEqual(['a=1, b=2'])
})
