import { inspect } from 'node:util'
import { until } from '@florin/server/kernel/until.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { Florin, FlorinError } from './florin.ts'
import { limits } from './limits.ts'
import { answer, lost, openTestService, refusal, silent, TEST_KEY } from './test-service.ts'
import type { Step } from './test-service.ts'

let service: Awaited<ReturnType<typeof openTestService>>
afterEach(() => service.close())
const serve = async (...script: Step[]) => (service = await openTestService(script))

const PAID = {
  ...{
    success: true,
    paymentId: 'pay_1',
    signature: null,
    network: 'eip155:84532',
    asset: 'native',
  },
  ...{ amount: 1, amountBaseUnits: '1', sender: 'a', recipient: 'b', status: 'pending' },
  ...{ blockHeight: null, fee: null, resource: null, metadata: null, paymentProof: null },
  ...{ estimatedConfirmation: null, timestamp: 1 },
}
const ORDER = { walletAddress: 'a', recipientAddress: 'b', amount: '1' }
const SETTLED = { success: true, transaction: '0x1', network: 'eip155:84532' }
const PENDING = { details: { paymentId: 'pay_1' } }
const OPEN = { ...SETTLED, success: false, errorReason: 'settlement_pending' }

async function failureOf(work: Promise<unknown>): Promise<FlorinError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof FlorinError)) throw new Error(`not a FlorinError: ${inspect(error)}`)
  return error
}

describe('a payment whose answers are lost', () => {
  test('goes out again with the same key and the same body until one is answered', async () => {
    await serve(lost, lost, refusal(502, '', {}), answer(504, '<html>'), answer(200, PAID))
    const order = { ...ORDER, metadata: { invoice: 7 } }
    const sent = service.client().payments.send(order)
    order.metadata.invoice = 8
    expect(await sent).toMatchObject({ paymentId: 'pay_1', amount: '1' })
    expect(service.seen).toHaveLength(5)
    expect(new Set(service.seen.map(({ body }) => body))).toEqual(
      new Set([JSON.stringify({ ...ORDER, metadata: { invoice: 7 } })]),
    )
    const keys = new Set(service.seen.map(({ idempotencyKey }) => idempotencyKey))
    expect([...keys]).toEqual([expect.stringMatching(/^sdk-[0-9a-f]{32}$/)])
    expect(service.pauses).toEqual([188, 375, 750, 1500])
  })

  test('each call is an intent of its own, unless the caller names it', async () => {
    await serve(answer(200, PAID))
    const { payments } = service.client()
    await payments.send(ORDER)
    await payments.send(ORDER)
    await payments.send(ORDER, { idempotencyKey: 'invoice-7' })
    const keys = service.seen.map(({ idempotencyKey }) => idempotencyKey)
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe('invoice-7')
  })

  test('is given up after the bound, and the error says that it may have happened, and under which key', async () => {
    await serve(lost)
    const error = await failureOf(service.client().payments.send(ORDER))
    expect(service.seen).toHaveLength(limits.triesMax)
    expect(error).toMatchObject({ code: 'NO_ANSWER', outcomeUnknown: true, tries: limits.triesMax })
    expect(error.idempotencyKey).toBe(service.seen[0]?.idempotencyKey)
  })

  test('stays of unknown outcome when the service refuses a later try', async () => {
    await serve(lost, refusal(400, 'INSUFFICIENT_BALANCE'))
    const error = await failureOf(service.client().payments.send(ORDER))
    expect(error).toMatchObject({ code: 'INSUFFICIENT_BALANCE', outcomeUnknown: true, tries: 2 })
  })

  test('is repeated when the service does not answer in time', async () => {
    await serve(silent, answer(200, PAID))
    const sent = service.client().payments.send(ORDER)
    await until('the request is there', () => service.seen.length === 1, { seconds: 30 })
    service.ringAlarm()
    expect(await sent).toMatchObject({ paymentId: 'pay_1' })
  })

  test('where nobody listens, nothing happened', async () => {
    await serve(lost)
    const { baseUrl, clock } = service
    await service.close()
    const client = new Florin({ baseUrl, clock, apiKey: TEST_KEY, retry: { triesMax: 2 } })
    const error = await failureOf(client.payments.send(ORDER))
    expect(error).toMatchObject({ code: 'NO_ANSWER', outcomeUnknown: false, tries: 2 })
    expect(error.message).toContain('ECONNREFUSED')
    await serve(lost)
  })
})

test('at a port that fetch blocks, nothing happened', async () => {
  const client = new Florin({
    baseUrl: 'http://127.0.0.1:6000',
    apiKey: TEST_KEY,
    retry: { triesMax: 1 },
  })
  const error = await failureOf(client.payments.send(ORDER))
  expect(error).toMatchObject({ code: 'NO_ANSWER', outcomeUnknown: false })
  expect(error.message).toContain('(bad port)')
})

describe('what the service asks to wait for', () => {
  test.each([
    [429, 'RATE_LIMIT'],
    [503, 'NETWORK_ERROR'],
    [503, 'SETTLEMENT_PENDING'],
    [409, 'IDEMPOTENCY_CONFLICT'],
  ])('%i %s is repeated, not before Retry-After', async (status, code) => {
    await serve(refusal(status, code, { retryAfter: 7 }, { 'retry-after': '7' }), answer(200, PAID))
    await service.client().payments.send(ORDER)
    expect(service.pauses).toEqual([7188])
  })

  test('a seller at whose address nobody listens is asked twice, and others in the way do not count', async () => {
    const nobody = refusal(503, 'NETWORK_ERROR', { details: { reason: 'not_connected' } })
    await serve(refusal(429, 'RATE_LIMIT'), nobody, refusal(503, 'NETWORK_ERROR'), nobody)
    const order = { walletAddress: 'a', url: 'http://127.0.0.1:9/', maxAmount: '1' }
    const error = await failureOf(service.client().payments.fetch(order))
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', outcomeUnknown: false, tries: 4 })
  })

  test('a pause that would not end in time is not begun', async () => {
    await serve(refusal(429, 'RATE_LIMIT', { retryAfter: 300 }))
    const error = await failureOf(service.client().payments.status('pay_1'))
    expect(error).toMatchObject({ code: 'RATE_LIMIT', retryAfter: 300, tries: 1 })
    expect(service.pauses).toEqual([])
  })

  test('pauses double up to a bound, and are spread', async () => {
    await serve(refusal(503, 'NETWORK_ERROR'))
    await failureOf(service.client({ random: () => 0 }).payments.status('pay_1'))
    expect(service.pauses).toEqual([125, 250, 500, 1000, 2000, 4000, 4000])
  })

  test.each([
    [400, 'INVALID_PARAMETERS'],
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [409, 'DUPLICATE_SETTLEMENT'],
    [422, 'TRANSACTION_FAILED'],
  ])('%i %s is not repeated, and every fact of it is told', async (status, code) => {
    await serve(refusal(status, code, { details: { amount: 'is too much' } }))
    const error = await failureOf(service.client().payments.send(ORDER))
    expect(service.seen).toHaveLength(1)
    expect(error).toMatchObject({
      ...{ code, status, message: `says ${code}`, details: { amount: 'is too much' } },
      ...{ requestId: 'req_1', docs: 'https://a.b/c', outcomeUnknown: false },
    })
  })

  test.each([
    [503, 'SETTLEMENT_PENDING', true],
    [409, 'IDEMPOTENCY_CONFLICT', true],
    [500, 'INTERNAL_ERROR', true],
    [503, 'NETWORK_ERROR', false],
    [429, 'RATE_LIMIT', false],
  ])(
    '%i %s to the end: whether it may have happened is %s',
    async (status, code, outcomeUnknown) => {
      await serve(refusal(status, code, code === 'SETTLEMENT_PENDING' ? PENDING : {}))
      const error = await failureOf(service.client().payments.send(ORDER))
      expect(error).toMatchObject({ code, outcomeUnknown, tries: limits.triesMax })
    },
  )

  test('503 of a proxy does not say that nothing happened: deleting is not repeated after it', async () => {
    await serve(answer(503, 'busy'))
    const error = await failureOf(service.client().wallets.delete('a'))
    expect(error).toMatchObject({ code: 'BAD_ANSWER', outcomeUnknown: true, tries: 1 })
  })

  test('a failure that names its payment is not repeated: the payment exists', async () => {
    await serve(refusal(500, 'INTERNAL_ERROR', { details: { paymentId: 'pay_1' } }))
    const error = await failureOf(service.client().payments.send(ORDER))
    expect(error.details).toEqual({ paymentId: 'pay_1' })
    expect(service.seen).toHaveLength(1)
  })

  test('any other failure of the service is repeated', async () => {
    await serve(refusal(500, 'INTERNAL_ERROR'), answer(200, PAID))
    expect(await service.client().payments.send(ORDER)).toMatchObject({ paymentId: 'pay_1' })
  })

  test('deleting is not repeated when nobody knows whether it happened', async () => {
    await serve(lost)
    const error = await failureOf(service.client().wallets.delete('a'))
    expect(error).toMatchObject({ code: 'NO_ANSWER', outcomeUnknown: true, tries: 1 })
  })

  test('an open settlement is asked for again with the identical body', async () => {
    await serve(answer(200, OPEN), lost, answer(200, OPEN), answer(200, SETTLED))
    const payment = { x402Version: 2, paymentPayload: { a: 1 }, paymentRequirements: {} }
    expect(await service.client().x402.settle(payment)).toEqual(SETTLED)
    expect(new Set(service.seen.map(({ body }) => body))).toEqual(
      new Set([JSON.stringify(payment)]),
    )
    expect(service.seen).toHaveLength(4)
  })

  test('a settlement that stays open is the answer in the end', async () => {
    await serve(answer(200, OPEN))
    const payment = { paymentPayload: {}, paymentRequirements: {} }
    expect(await service.client().x402.settle(payment)).toEqual(OPEN)
    expect(service.seen).toHaveLength(limits.triesMax)
  })
})

describe('a call that its caller ends', () => {
  test('stops at once, and says what it was sent under', async () => {
    await serve(silent)
    const controller = new AbortController()
    const { signal } = controller
    const sent = service.client().payments.send(ORDER, { signal, idempotencyKey: 'invoice-8' })
    await until('the request is there', () => service.seen.length === 1, { seconds: 30 })
    controller.abort()
    expect(await failureOf(sent)).toMatchObject({
      ...{ code: 'ABORTED', outcomeUnknown: true, idempotencyKey: 'invoice-8', tries: 1 },
    })
  })

  test('sends nothing when it was ended before', async () => {
    await serve(answer(200, PAID))
    const error = await failureOf(
      service.client().payments.send(ORDER, { signal: AbortSignal.abort() }),
    )
    expect(error).toMatchObject({ code: 'ABORTED', outcomeUnknown: false, tries: 0 })
    expect(service.seen).toEqual([])
  })

  test('does not go on after a pause in which it was ended', async () => {
    await serve(refusal(503, 'NETWORK_ERROR'))
    const controller = new AbortController()
    const clock = {
      ...service.clock,
      sleep: (): Promise<void> => {
        controller.abort()
        return Promise.resolve()
      },
    }
    const { signal } = controller
    const error = await failureOf(service.client({ clock }).payments.send(ORDER, { signal }))
    expect(error).toMatchObject({ code: 'ABORTED', outcomeUnknown: false, tries: 1 })
  })
})

describe('what answers is not the service', () => {
  test('a redirect is never followed with the key', async () => {
    await serve(answer(307, '', { location: 'https://elsewhere.example/' }))
    const error = await failureOf(service.client().payments.send(ORDER))
    expect(error).toMatchObject({ code: 'BAD_ANSWER', status: 307, tries: 1 })
    expect(service.seen).toHaveLength(1)
  })

  test.each(['{"success":true}', '{}'])('%s is no payment', async (body) => {
    await serve(answer(200, body))
    const error = await failureOf(service.client().payments.send(ORDER))
    expect(error).toMatchObject({ code: 'BAD_ANSWER', outcomeUnknown: true })
  })

  test('a page for people is not taken for an answer', async () => {
    await serve(answer(200, '<html>', { 'content-type': 'text/html' }))
    const error = await failureOf(service.client().payments.send(ORDER))
    expect(error).toMatchObject({ code: 'BAD_ANSWER', status: 200, outcomeUnknown: true })
  })

  test('a torn answer is a lost one', async () => {
    await serve(answer(200, '{"success":tr'), answer(200, PAID))
    expect(await service.client().payments.send(ORDER)).toMatchObject({ paymentId: 'pay_1' })
  })
})

describe('the key', () => {
  test('travels in its header, and is in nothing that is printed', async () => {
    await serve(lost, refusal(401, 'UNAUTHORIZED'))
    const client = service.client()
    const error = await failureOf(client.payments.status('pay_1'))
    expect(service.seen[0]?.authorization).toBe(`Bearer ${TEST_KEY}`)
    const options = { depth: 20, showHidden: true, getters: true }
    for (const value of [client, client.payments, error]) {
      const printed = `${inspect(value, options)}${JSON.stringify(value)}`
      expect(printed).not.toContain(TEST_KEY)
    }
    expect(JSON.stringify(client)).toBe(`{"baseUrl":"${service.baseUrl}"}`)
  })

  test.each([
    ['apiKey', { apiKey: `${TEST_KEY}\n` }],
    ['apiKey', { apiKey: '' }],
    ['baseUrl', { baseUrl: 'https://name:word@a.b' }],
    ['baseUrl', { baseUrl: 'ftp://a.b' }],
    ['baseUrl', { baseUrl: 'https://a.b/?x=1' }],
    ['retry.triesMax', { retry: { triesMax: 0 } }],
  ])('%s that cannot be used is refused without repeating it', async (name, options) => {
    await serve(lost)
    expect(() => service.client(options)).toThrow(FlorinError)
    expect(() => service.client(options)).toThrow(new RegExp(`^${name}`))
    expect(() => service.client(options)).not.toThrow(TEST_KEY)
  })
})
