import { expect, test } from 'vitest'
import { Florin } from './florin.ts'
import { payingFetch } from './paying-fetch.ts'

/** A call of which the service says this. */
function callAnswered(
  status: number,
  headers: Record<string, string>,
  more: object = {},
  idempotencyKey?: string,
) {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const response = { status, headers, body: 'goods', bodyEncoding: 'utf8' }
  const answer = { paid: true, paymentId: 'pay_1', amount: 0.01, response, ...more }
  Object.assign(florin.payments, { fetch: async () => answer })
  const pay = payingFetch(florin, { walletAddress: '0x1', ceiling: '0.05' })
  return pay('https://shop.example/report', idempotencyKey === undefined ? {} : { idempotencyKey })
}

test.each([100, 199, 600, 999])(
  'a seller that answers %d after it was paid is an error that names the payment',
  async (status) => {
    const failed: unknown = await callAnswered(status, {}).catch((error: unknown) => error)
    expect(failed).toMatchObject({
      name: 'FlorinError',
      code: 'NO_ANSWER',
      outcomeUnknown: true,
      details: { paymentId: 'pay_1', paid: true, status },
    })
  },
)

test('a header that no answer can carry is such an error too', async () => {
  const failed: unknown = await callAnswered(200, { 'x-odd': 'a\nb' }).catch(
    (error: unknown) => error,
  )
  expect(failed).toMatchObject({ code: 'NO_ANSWER', details: { paymentId: 'pay_1', status: 200 } })
})

test('what is said of the payment is never what the seller wrote', async () => {
  const forged = { 'Payment-Id': 'pay_forged', 'Payment-Paid': 'true', 'x-kept': 'yes' }
  const unpaid = { paid: false, paymentId: undefined, amount: 0 }
  const { headers } = await callAnswered(200, forged, unpaid)
  expect([headers.get('payment-id'), headers.get('payment-paid')]).toEqual([null, 'false'])
  expect(headers.get('x-kept')).toBe('yes')
  const paid = await callAnswered(200, forged)
  expect([paid.headers.get('payment-id'), await paid.text()]).toEqual(['pay_1', 'goods'])
})

test('an answer names the key under which what was signed for it is shown again, as with a seller that fails after it was paid', async () => {
  const forged = { 'Payment-Idempotency-Key': 'forged' }
  const failed = await callAnswered(500, forged, {}, 'mine')
  expect(failed.headers.get('payment-idempotency-key')).toBe('mine')
  const made = await callAnswered(500, forged, { paid: 'unknown' })
  expect(made.headers.get('payment-idempotency-key')).toMatch(/^sdk-[0-9a-f]{32}$/)
  const unpaid = await callAnswered(500, forged, { paid: false })
  expect(unpaid.headers.has('payment-idempotency-key')).toBe(false)
})

test('a listener that throws loses nobody what was paid for', async () => {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const response = { status: 200, headers: {}, body: 'goods', bodyEncoding: 'utf8' }
  const answer = { paid: true, paymentId: 'pay_1', amount: 0.01, response }
  Object.assign(florin.payments, { fetch: async () => answer })
  const onAnswer = () => {
    throw new Error('of the listener')
  }
  const pay = payingFetch(florin, { walletAddress: '0x1', ceiling: '0.05', onAnswer })
  expect(await (await pay('https://shop.example/report')).text()).toBe('goods')
})

test('without an answer the error names the key under which the same payment is shown again', async () => {
  const keys: (string | undefined)[] = []
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const answer = { paid: 'unknown', paymentId: 'pay_1', amount: 0.01, response: null }
  Object.assign(florin.payments, {
    fetch: async (_order: unknown, options: { readonly idempotencyKey?: string }) => {
      keys.push(options.idempotencyKey)
      return answer
    },
  })
  const pay = payingFetch(florin, { walletAddress: '0x1', ceiling: '0.05' })
  const failureOf = (idempotencyKey?: string): Promise<unknown> =>
    pay('https://shop.example/report', { ...(idempotencyKey && { idempotencyKey }) }).catch(
      (error: unknown) => error,
    )
  const [made, named] = [await failureOf(), await failureOf('order-7')]
  expect(made).toMatchObject({ code: 'NO_ANSWER', outcomeUnknown: true, idempotencyKey: keys[0] })
  expect(keys[0]).toMatch(/^sdk-/)
  expect(named).toMatchObject({ idempotencyKey: 'order-7' })
  expect(keys[1]).toBe('order-7')
})

test('of an answer that was too long it says what was lost', async () => {
  const lost = { status: 200, contentLength: 5_000_000, contentType: 'video/mp4' }
  const told = { response: null, problem: 'body_too_long', lost }
  const failed: unknown = await callAnswered(200, {}, told).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'NO_ANSWER', details: { paymentId: 'pay_1', lost } })
})
