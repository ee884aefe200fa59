import { expect, test } from 'vitest'
import { Florin } from '../florin.ts'
import type { Metered } from './admission.ts'
import { encodeHeader } from './header-json.ts'
import { serveHonoMetered } from './hono-answer.ts'
import type { HonoContext } from './hono-context.ts'
import { paywall } from './paywall.ts'
import { openShop, settlesOnce } from './test-shop.ts'
import { NETWORK } from './test-upto-shop.ts'

const GONE = 'the buyer was gone before the answer'
const PAID = {
  ...{ paymentId: 'pay_1', transaction: '0xabc', network: NETWORK, payer: null },
  ...{ amount: '1', resource: 'http://shop.example/report' },
}

/** A request of Hono whose buyer can go away. */
function openRequest(headers: Readonly<Record<string, string>> = {}) {
  const buyer = new AbortController()
  const init = { signal: buyer.signal, headers }
  const raw = new Request('http://shop.example/report', init)
  const context: HonoContext = {
    ...{ req: { raw }, res: new Response('none'), error: undefined, finalized: true },
  }
  return { context, leave: () => buyer.abort() }
}

/** A visit by `upto` that writes down what becomes of it. */
function openVisit(whileTaking: () => void = () => undefined) {
  const told: string[] = []
  const metered: Metered = {
    setAmount: () => true,
    abandon: () => void told.push('abandoned'),
    finish: async (answer) => {
      told.push('taken')
      whileTaking()
      const ended = async (reason?: string) => void told.push(reason ?? 'delivered')
      return { kind: 'kept', answer, admitted: { paid: PAID, headers: {}, ended } }
    },
  }
  return { metered, told }
}

test('of a buyer who goes away while the handler works nothing is taken, and nothing goes out', async () => {
  const { context, leave } = openRequest()
  const { metered, told } = openVisit()
  const handler = async () => {
    leave()
    context.res = new Response('goods')
  }
  await serveHonoMetered(context, handler, metered, context.req.raw.signal)
  expect([told, await context.res.text()]).toEqual([['abandoned'], ''])
})

test('an answer that was paid for is delivered, unless its buyer went away meanwhile', async () => {
  for (const isGone of [false, true]) {
    const { context, leave } = openRequest()
    const { metered, told } = openVisit(isGone ? leave : undefined)
    const handler = async () => void (context.res = new Response('goods'))
    await serveHonoMetered(context, handler, metered, context.req.raw.signal)
    expect(told).toEqual(isGone ? ['taken', GONE] : ['taken'])
    expect(await context.res.text()).toBe('goods')
    expect(told).toEqual(['taken', isGone ? GONE : 'delivered'])
  }
})

test('a payment by exact whose buyer goes away before the answer is told of as undelivered', async () => {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const asset = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
  const payTo = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const assets = [{ symbol: 'USDC', asset, decimals: 6, eip712: { name: 'USDC', version: '2' } }]
  Object.assign(florin.networks, { list: async () => [{ network: NETWORK, assets }] })
  const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORK }]
  const settled = { transaction: '0xabc', network: NETWORK, extra: { paymentId: 'pay_1' } }
  Object.assign(florin.x402, {
    supported: async () => ({ kinds, extensions: [], signers: {} }),
    settle: async () => ({ success: true, ...settled }),
  })
  const undelivered: string[] = []
  const wall = paywall(florin, {
    ...{ amount: '0.01', asset: 'USDC', network: NETWORK, payTo },
    onUndelivered: (_, reason) => undelivered.push(reason),
  })
  const accepted = { scheme: 'exact', network: NETWORK, amount: '10000', asset, payTo }
  const proof = encodeHeader({ x402Version: 2, accepted, payload: {} })
  const { context, leave } = openRequest({ 'payment-signature': proof })
  await wall(context, async () => {
    leave()
    context.res = new Response('goods')
  })
  expect(undelivered).toEqual([GONE])
})

test('adapters that tell of a buyer only whom they are asked about are asked before anything is settled', async () => {
  const order: string[] = []
  const settled = settlesOnce()
  const { wall, paying } = openShop('exact', async () => {
    order.push('settled')
    return settled()
  })
  const { context } = openRequest(paying)
  const { raw } = context.req
  const { signal } = raw
  Object.defineProperty(raw, 'signal', {
    get: () => {
      order.push('asked')
      return signal
    },
  })
  await wall(context, async () => undefined)
  expect(order).toEqual(['asked', 'settled'])
})

/** Of a status that only a runtime makes. */
function answerOf(status: number): Response {
  const answer = new Response(null, { headers: { 'x-mine': 'yes' } })
  Object.defineProperty(answer, 'status', { value: status })
  return answer
}

test('an upgrade that was paid for stays the object that its runtime knows', async () => {
  const { wall, paying, told } = openShop('exact')
  const { context } = openRequest(paying)
  const upgrade = answerOf(101)
  await wall(context, async () => void (context.res = upgrade))
  expect(context.res).toBe(upgrade)
  expect(upgrade.headers.get('payment-response')).not.toBeNull()
  expect(told).toEqual(['paid'])
  const fixed = answerOf(101)
  Object.defineProperty(fixed, 'headers', { value: Response.error().headers })
  const second = openShop('exact')
  await second.wall(context, async () => void (context.res = fixed))
  expect([context.res === fixed, second.told]).toEqual([true, ['paid']])
})

test('an answer of which no copy can be made is told of', async () => {
  const { wall, paying, told } = openShop('exact')
  const { context } = openRequest(paying)
  await wall(context, async () => void (context.res = answerOf(999)))
  expect([context.res.status, told]).toEqual([500, ['paid', 'the handler answered 999']])
})
