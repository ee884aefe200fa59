import { expect, test } from 'vitest'
import type { Clock } from '../clock.ts'
import type { X402SettleAnswer } from '../contract/x402-settle.ts'
import { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import type { Admission } from './admission.ts'
import { openGate } from './gate.ts'
import { encodeHeader } from './header-json.ts'
import type { HeldAnswer } from './held.ts'
import type { PaywallOptions } from './price.ts'

const NETWORK = 'eip155:84532'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const PAYER = '0x1111111111111111111111111111111111111111'
const MOST = { scheme: 'upto', network: NETWORK, amount: '100000', asset: TOKEN, payTo: PAY_TO }
const GOODS: HeldAnswer = {
  ...{ status: 200, headers: [['content-type', 'text/plain']], length: 5 },
  parts: [['goods', undefined]],
}
const SETTLED: X402SettleAnswer = {
  ...{ success: true, transaction: '0xabc', network: NETWORK, payer: PAYER },
  extra: { paymentId: 'pay_1' },
}
const said = (errorReason: string): X402SettleAnswer => ({
  ...SETTLED,
  success: false,
  errorReason,
})

function proofOf(nonce: string, from = PAYER): Record<string, string> {
  const payload = { signature: '0x12', permit2Authorization: { from, nonce } }
  const header = encodeHeader({ x402Version: 2, accepted: MOST, payload })
  return { 'payment-signature': header }
}

/** Time that never passes, or passes at once when somebody waits. */
const clockOf = (passes: boolean): Clock => ({
  now: () => 0,
  sleep: (_, signal) =>
    passes
      ? Promise.resolve()
      : new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
  after: () => () => undefined,
})

type Settle = (amount: string) => Promise<X402SettleAnswer>

/** A gate with a price of a tenth of a dollar at most. */
function openScene(settle: Settle, more: Partial<PaywallOptions> & { verdict?: object } = {}) {
  const { verdict = { isValid: true }, ...options } = more
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const asset = {
    symbol: 'USDC',
    asset: TOKEN,
    decimals: 6,
    eip712: { name: 'USDC', version: '2' },
  }
  const extra = { facilitatorAddress: PAY_TO }
  const amounts: string[] = []
  const looked: unknown[] = []
  const told: string[] = []
  Object.assign(florin.networks, { list: async () => [{ network: NETWORK, assets: [asset] }] })
  Object.assign(florin.x402, {
    supported: async () => ({
      kinds: ['exact', 'upto'].map((scheme) => ({
        x402Version: 2,
        scheme,
        network: NETWORK,
        extra,
      })),
      extensions: ['eip2612GasSponsoring'],
      signers: {},
    }),
    verify: async (question: unknown) => {
      looked.push(question)
      return verdict
    },
    settle: (question: { paymentRequirements: { amount: string } }) => {
      amounts.push(question.paymentRequirements.amount)
      return settle(question.paymentRequirements.amount)
    },
  })
  const gate = openGate(florin, {
    ...{ amount: '0.1', asset: 'USDC', network: NETWORK, payTo: PAY_TO, scheme: 'upto' },
    clock: clockOf(false),
    onPaid: ({ amount }) => told.push(`paid ${amount}`),
    onUndelivered: (_, reason) => told.push(reason),
    onProblem: (code) => told.push(code),
    ...options,
  })
  const ask = (headers = proofOf('7'), url = 'http://shop.example/report', method = 'GET') =>
    gate({ url, method, header: (name) => headers[name] })
  return { ask, amounts, looked, told }
}

async function begin(admission: Promise<Admission>) {
  const { kind, ...rest } = await admission
  if (kind !== 'metered' || !('metered' in rest)) throw new Error(`not let in: ${kind}`)
  return rest.metered
}

const outcomeOf = (admission: Admission) =>
  admission.kind === 'said' ? admission.said.status : admission.kind

test('the most is asked for, of version 2 alone, and buyers may sign their approval beside', async () => {
  const { ask } = openScene(async () => SETTLED)
  const admission = await ask({})
  if (admission.kind !== 'said') throw new Error('let in for nothing')
  const required: unknown = JSON.parse(atob(admission.said.headers['PAYMENT-REQUIRED'] ?? ''))
  const extra = { name: 'USDC', version: '2', facilitatorAddress: PAY_TO }
  expect(required).toMatchObject({ extensions: { eip2612GasSponsoring: { info: {} } } })
  expect(required).toHaveProperty('accepts', [{ ...MOST, maxTimeoutSeconds: 60, extra }])
  expect(admission.said.body).toMatchObject({ x402Version: 1, accepts: [] })
})

test('what the handler says is taken, the last word counts, and without any it is the most', async () => {
  const { ask, amounts, looked, told } = openScene(async (amount) => ({ ...SETTLED, amount }))
  const first = await begin(ask())
  first.setAmount('0.05')
  first.setAmount(0.03)
  const given = await first.finish(GOODS)
  if (given.kind !== 'kept') throw new Error('nothing was given')
  expect(JSON.parse(atob(given.admitted.headers['PAYMENT-RESPONSE'] ?? ''))).toMatchObject({
    ...{ success: true, amount: '30000' },
  })
  await (await begin(ask(proofOf('8')))).finish(GOODS)
  expect(amounts).toEqual(['30000', '100000'])
  expect(told).toEqual(['paid 30000', 'paid 100000'])
  expect(looked).toMatchObject([{ paymentRequirements: MOST }, { paymentRequirements: MOST }])
})

test.each(['0.100001', '1', '-0.01', '0.0000001', 'much', Number.NaN])(
  'a handler cannot take %s',
  async (amount) => {
    const { ask, amounts } = openScene(async () => SETTLED)
    const metered = await begin(ask())
    expect(() => metered.setAmount(amount)).toThrow(FlorinError)
    metered.abandon()
    expect(amounts).toEqual([])
  },
)

test('a payment that would not settle runs no handler', async () => {
  const refusing = openScene(async () => SETTLED, {
    verdict: { isValid: false, invalidReason: 'permit2_allowance_required' },
  })
  expect(outcomeOf(await refusing.ask())).toBe(402)
  const used = openScene(async () => SETTLED, {
    verdict: { isValid: false, invalidReason: 'permit2_invalid_nonce' },
  })
  expect(outcomeOf(await used.ask())).toBe(409)
  const away = openScene(async () => SETTLED, {
    verdict: { isValid: false, invalidReason: 'network_unavailable' },
  })
  expect(outcomeOf(await away.ask())).toBe(503)
  expect([refusing.amounts, used.amounts, away.amounts]).toEqual([[], [], []])
  // Nothing of it is remembered: the same payment is looked at again.
  expect(outcomeOf(await away.ask())).toBe(503)
  const nothing = encodeHeader({ x402Version: 2, accepted: MOST, payload: {} })
  expect(outcomeOf(await away.ask({ 'payment-signature': nothing }))).toBe(402)
})

test('one authorization runs one handler at a time, however its owner and nonce are written', async () => {
  const { ask } = openScene(async () => SETTLED)
  const metered = await begin(ask(proofOf('7', `0x${'ab'.repeat(20)}`)))
  expect(outcomeOf(await ask(proofOf('007', `0x${'AB'.repeat(20)}`)))).toBe(503)
  metered.abandon()
  const again = await begin(ask(proofOf('007', `0x${'AB'.repeat(20)}`)))
  again.abandon()
})

test('an answer that was not paid for is dropped, and the seller hears of its work', async () => {
  const { ask, told } = openScene(async () => said('insufficient_funds'))
  expect(outcomeOf(await (await begin(ask())).finish(GOODS))).toBe(402)
  expect(told).toEqual(['insufficient_funds'])
  // Nothing was taken, so the payment may be shown again.
  ;(await begin(ask())).abandon()
})

test('an answer whose settlement is open is kept, and no handler runs for it again', async () => {
  const script = [
    said('settlement_pending'),
    said('network_unavailable'),
    said('duplicate_settlement'),
  ]
  const { ask, amounts, told } = openScene(async () => script.shift() ?? SETTLED)
  const metered = await begin(ask())
  metered.setAmount('0.02')
  expect(outcomeOf(await metered.finish(GOODS))).toBe(503)
  expect(outcomeOf(await ask(proofOf('7'), 'http://shop.example/dearer'))).toBe(409)
  expect(outcomeOf(await ask(proofOf('7'), undefined, 'POST'))).toBe(409)
  expect(outcomeOf(await ask())).toBe(503)
  const kept = await ask()
  expect(kept).toMatchObject({ kind: 'kept', answer: GOODS })
  expect(amounts).toEqual(['20000', '20000', '20000'])
  if (kept.kind === 'kept') await kept.admitted.ended()
  expect(outcomeOf(await ask())).toBe(409)
  expect([amounts.length, told]).toEqual([3, ['network_unavailable']])
})

test('an answer that was paid for and did not go out is given to the same payment, and not charged again', async () => {
  const { ask, amounts, told } = openScene(async () => SETTLED)
  const given = await (await begin(ask())).finish(GOODS)
  if (given.kind !== 'kept') throw new Error('nothing was given')
  await given.admitted.ended('the connection broke')
  const again = await ask()
  if (again.kind !== 'kept') throw new Error('nothing was given again')
  expect(again.answer).toEqual(GOODS)
  expect(outcomeOf(await ask())).toBe(503)
  await again.admitted.ended()
  expect(outcomeOf(await ask())).toBe(409)
  expect([amounts, told]).toEqual([['100000'], ['paid 100000', 'the connection broke']])
})

test('a proof that another server has settled gets nothing here', async () => {
  const { ask } = openScene(async () => said('duplicate_settlement'))
  expect(outcomeOf(await (await begin(ask())).finish(GOODS))).toBe(409)
  expect(outcomeOf(await ask())).toBe(409)
})

test('a settlement that comes after the buyer was told to ask again is kept for it', async () => {
  const late = Promise.withResolvers<X402SettleAnswer>()
  const { ask, amounts, told } = openScene(() => late.promise, { clock: clockOf(true) })
  expect(outcomeOf(await (await begin(ask())).finish(GOODS))).toBe(503)
  late.resolve(SETTLED)
  await new Promise((resolve) => setImmediate(resolve))
  expect(told).toEqual(['paid 100000', expect.stringMatching(/ask again/)])
  expect(outcomeOf(await ask())).toBe('kept')
  expect(amounts).toHaveLength(1)
})
