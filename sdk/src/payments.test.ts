import { afterEach, describe, expect, test } from 'vitest'
import { FlorinError } from './florin.ts'
import { answer, openTestService, refusal } from './test-service.ts'
import type { Step } from './test-service.ts'

let service: Awaited<ReturnType<typeof openTestService>>
afterEach(() => service.close())
const serve = async (...script: Step[]) => (service = await openTestService(script))

const record = (status: string, more: object = {}) =>
  answer(200, {
    ...{ success: true, paymentId: 'pay_1', signature: null, network: 'n', asset: 'native' },
    ...{ amount: 1, amountBaseUnits: '1', sender: 'a', recipient: 'b', status, type: 'sent' },
    ...{ blockHeight: null, fee: null, resource: null, metadata: null, priorityFee: null },
    ...{ confirmations: 0, releaseDepth: 1, finality: 'f', attempts: [], createdAt: 1 },
    ...{ estimatedConfirmation: null, confirmedAt: null, settledAt: null, timestamp: 1, ...more },
  })

const page = (ids: readonly string[], nextCursor: string | null) =>
  answer(200, {
    ...{ success: true, walletAddress: 'a', type: 'all', total: 5, limit: 2, offset: 0 },
    ...{ payments: ids.map((paymentId) => ({ paymentId, amount: 1 })), timestamp: 1 },
    ...{ hasMore: nextCursor !== null, nextCursor },
  })

const caught = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a history', () => {
  test('is read page by page, each asked for when it is needed and with the same filters', async () => {
    await serve(page(['1', '2'], 'c/1'), refusal(503, 'NETWORK_ERROR'), page(['3', '4'], 'c2'))
    const ids: string[] = []
    const history = service.client().payments.history('0xA', { type: 'sent', limit: 2 })
    expect(service.seen).toEqual([])
    for await (const { paymentId, amount } of history) {
      expect(amount).toBe('1')
      ids.push(paymentId)
      if (ids.length === 3) break
    }
    expect(ids).toEqual(['1', '2', '3'])
    expect(service.seen.map(({ url }) => url)).toEqual([
      '/payment/history/0xA?type=sent&limit=2',
      '/payment/history/0xA?type=sent&limit=2&cursor=c%2F1',
      '/payment/history/0xA?type=sent&limit=2&cursor=c%2F1',
    ])
  })

  test('ends with its last page', async () => {
    await serve(page(['1'], 'c'), page([], null))
    const ids: string[] = []
    for await (const { paymentId } of service.client().payments.history('a')) ids.push(paymentId)
    expect(ids).toEqual(['1'])
    expect(service.seen).toHaveLength(2)
  })
})

describe('waiting', () => {
  test('looks at growing intervals until the payment has come so far, and shows what it saw', async () => {
    await serve(record('pending'), record('pending'), record('confirmed'), record('settled'))
    const seen: string[] = []
    const { payments } = service.client()
    const payment = await payments.wait('pay_1', { onLook: ({ status }) => seen.push(status) })
    expect(payment).toMatchObject({ status: 'settled', amount: '1' })
    expect(seen).toEqual(['pending', 'pending', 'confirmed', 'settled'])
    expect(service.pauses).toEqual([188, 375, 750])
  })

  test.each(['confirmed', 'settled'])('for confirmed ends at %s', async (status) => {
    await serve(record('pending'), record(status))
    const { payments } = service.client()
    expect(await payments.wait('pay_1', { until: 'confirmed' })).toMatchObject({ status })
  })

  test.each(['failed', 'expired'])('a payment that %s is an error, not a wait', async (status) => {
    await serve(record(status, { failure: { reason: 'reverted', message: 'the token refused' } }))
    const error = await caught(service.client().payments.wait('pay_1'))
    expect(error).toBeInstanceOf(FlorinError)
    expect(error).toMatchObject({
      code: 'PAYMENT_ENDED',
      message: `the payment ${status}: the token refused`,
      details: { paymentId: 'pay_1', status, reason: 'reverted' },
    })
  })

  test('ends with its time, and says where the payment stands', async () => {
    await serve(record('pending'))
    const error = await caught(service.client().payments.wait('pay_1', { timeoutSeconds: 10 }))
    expect(error).toMatchObject({ code: 'WAIT_OVER', details: { status: 'pending' } })
    expect(service.pauses.reduce((sum, each) => sum + each, 0)).toBe(10_000)
  })

  test('ends with its signal', async () => {
    await serve(record('pending'))
    const controller = new AbortController()
    const { signal } = controller
    const onLook = () => controller.abort()
    const error = await caught(service.client().payments.wait('pay_1', { signal, onLook }))
    expect(error).toMatchObject({ code: 'ABORTED', outcomeUnknown: false })
    expect(service.seen).toHaveLength(1)
  })
})
