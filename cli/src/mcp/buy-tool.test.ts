import { Florin } from '@florin/sdk'
import { answer, openTestService, refusal, TEST_KEY } from '@florin/sdk/test-service.ts'
import type { Step } from '@florin/sdk/test-service.ts'
import { afterEach, expect, test } from 'vitest'
import { buyTool } from './buy-tool.ts'
import { toolInput } from './tool.ts'
import { failureOf } from './tool-answer.ts'

const ALLOWANCE = { asset: 'USDC', maxAmount: '0.05', wallets: undefined, maySend: false }
const PAID = {
  ...{ success: true, paid: 'unknown', amount: '0.01', paymentId: 'pay_1', problem: undefined },
  payment: { paymentId: 'pay_1', status: 'pending', signature: null },
  timestamp: 1,
}
const page = (more: object) => ({
  ...{ status: 200, headers: { 'content-type': 'text/plain' }, body: 'news', bodyEncoding: 'utf8' },
  ...more,
})

let service: Awaited<ReturnType<typeof openTestService>>
afterEach(() => service.close())

async function buying(script: readonly Step[], given: object = {}, allowance = ALLOWANCE) {
  service = await openTestService(script)
  const retry = { triesMax: 1, totalMilliseconds: 1_000 }
  const florin = new Florin({ baseUrl: service.baseUrl, apiKey: TEST_KEY, retry })
  const input = toolInput({
    ...{ url: 'http://127.0.0.1:9/page', idempotencyKey: 'lunch', walletAddress: '0xAb' },
    ...given,
  })
  const { signal } = new AbortController()
  return await buyTool
    .run({ florin, allowance, input, signal })
    .catch((error: unknown) => failureOf(error))
}

test('the order goes out as it was given, within the allowance and under the key of the agent', async () => {
  const order = { method: 'POST', body: 'question', headers: { accept: 'text/plain' } }
  const bought = await buying([answer(200, { ...PAID, paid: true, response: page({}) })], order)
  expect(bought?.isError).toBeUndefined()
  expect(bought?.content.at(-1)).toEqual({ type: 'text', text: 'news' })
  const [asked] = service.seen
  expect(asked?.idempotencyKey).toBe('lunch')
  expect(JSON.parse(asked?.body ?? '')).toMatchObject({
    ...order,
    maxAmount: '0.05',
    asset: 'USDC',
  })
})

test.each([
  ['has failed', { response: page({ status: 500 }) }],
  ['sends elsewhere', { response: page({ status: 302 }) }],
  ['has gone', { response: null, problem: 'broken_answer' }],
])(
  'when the seller of a signed payment %s, the key that never pays twice is named',
  async (_, end) => {
    const bought = await buying([answer(200, { ...PAID, ...end })])
    expect(bought?.isError).toBe(true)
    expect(bought?.structuredContent).toMatchObject({
      ...{ paymentId: 'pay_1', paid: 'unknown' },
      next: expect.stringContaining('idempotencyKey "lunch"'),
    })
  },
)

test('a seller that refuses without a payment is no payment to repeat', async () => {
  const bought = await buying([
    answer(200, {
      success: true,
      paid: false,
      amount: '0',
      response: page({ status: 404 }),
      timestamp: 1,
    }),
  ])
  expect(bought?.isError).toBe(true)
  expect(bought?.structuredContent).toMatchObject({ paid: false, seller: { status: 404 } })
  expect(bought?.structuredContent).not.toHaveProperty('next')
})

test('an answer that was lost is not called a failure', async () => {
  const bought = await buying([answer(200, '{"success":tr')])
  expect(bought?.isError).toBe(true)
  expect(JSON.stringify(bought?.content)).toContain('Nobody knows yet whether money moved')
})

test('a refusal of the service says what to do', async () => {
  const bought = await buying([refusal(402, 'INSUFFICIENT_BALANCE')])
  expect(bought?.structuredContent).toMatchObject({
    error: { code: 'INSUFFICIENT_BALANCE', next: expect.any(String) },
  })
})

test('more than the allowance is not even asked of the service, nor a wallet that may not pay', async () => {
  const dear = await buying([], { maxAmount: '0.06' })
  expect(dear?.isError).toBe(true)
  await service.close()
  const foreign = await buying([], {}, { ...ALLOWANCE, wallets: ['0xcd'] as never })
  expect(JSON.stringify(foreign?.content)).toContain('may not pay here')
  expect(service.seen).toEqual([])
})

test('a picture is handed over as one, a long page is cut, and other bytes are left out', async () => {
  const goods = async (more: object) => {
    const bought = await buying([answer(200, { ...PAID, paid: true, response: page(more) })])
    await service.close()
    return bought?.content.at(-1)
  }
  const [png, zip] = ['image/png', 'application/zip'].map((type) => ({
    ...{ headers: { 'content-type': `${type}; q=1` }, body: 'AAAA', bodyEncoding: 'base64' },
  }))
  expect(await goods(png ?? {})).toEqual({ type: 'image', data: 'AAAA', mimeType: 'image/png' })
  expect(await goods(zip ?? {})).toMatchObject({
    type: 'text',
    text: expect.stringContaining('left out'),
  })
  const long = await goods({ body: 'a'.repeat(200_000) })
  expect(long).toMatchObject({ text: expect.stringContaining('(cut here, of 200000 characters)') })
})
