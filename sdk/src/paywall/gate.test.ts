import { expect, test } from 'vitest'
import type { Clock } from '../clock.ts'
import type { X402SettleAnswer } from '../contract/x402-settle.ts'
import { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import type { Admission } from './admission.ts'
import { deliveriesInMemory } from './deliveries.ts'
import { openGate } from './gate.ts'
import { encodeHeader } from './header-json.ts'
import type { PaywallOptions } from './price.ts'

const NETWORK = 'eip155:84532'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const URL_ASKED = 'http://shop.example/report?n=1'
const ACCEPTED = { scheme: 'exact', network: NETWORK, amount: '10000', asset: TOKEN, payTo: PAY_TO }
const PROOF = encodeHeader({ x402Version: 2, accepted: ACCEPTED, payload: { a: 1 } })
const SETTLED: X402SettleAnswer = {
  success: true,
  transaction: '0xabc',
  network: NETWORK,
  payer: '0xpayer',
  amount: '10000',
  extra: { paymentId: 'pay_1' },
}
const said = (errorReason: string, more: object = {}): X402SettleAnswer => ({
  ...SETTLED,
  success: false,
  errorReason,
  ...more,
})

/** Time that passes at once when somebody waits, or never. */
const clockOf = (passes: boolean): Clock => ({
  now: () => 0,
  sleep: (_, signal) =>
    passes
      ? Promise.resolve()
      : new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
  after: () => () => undefined,
})

/** A gate before a service of which every settlement is written down. */
function openScene(
  settle: (options?: { readonly onLost?: () => void }) => Promise<X402SettleAnswer>,
  more: Partial<PaywallOptions> & { readonly isDown?: boolean } = {},
) {
  const { isDown = false, ...options } = more
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const settlements: unknown[] = []
  const undelivered: string[] = []
  const problems: string[] = []
  const down = async () => {
    throw new FlorinError({ code: 'NO_ANSWER', message: 'down' })
  }
  const usdc = { symbol: 'USDC', asset: TOKEN, decimals: 6, eip712: { name: 'USDC', version: '2' } }
  const networks = [{ network: NETWORK, assets: [usdc] }]
  Object.assign(florin.networks, { list: isDown ? down : async () => networks })
  Object.assign(florin.x402, {
    supported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }],
      extensions: [],
      signers: {},
    }),
    settle: (body: unknown, given?: { readonly onLost?: () => void }) => {
      settlements.push(body)
      return settle(given)
    },
  })
  const gate = openGate(florin, {
    ...{ amount: '0.01', asset: 'USDC', network: 'base-sepolia', payTo: PAY_TO },
    clock: clockOf(false),
    onUndelivered: (_, reason) => undelivered.push(reason),
    onProblem: (code) => problems.push(code),
    ...options,
  })
  const ask = (
    headers: Readonly<Record<string, string>> = { 'payment-signature': PROOF },
    url = URL_ASKED,
  ) => gate({ url, header: (name) => headers[name] })
  return { ask, settlements, undelivered, problems }
}

const statusOf = (admission: Admission) =>
  admission.kind === 'said' ? admission.said.status : 'admitted'
const one = async () => SETTLED

test('without a payment it asks for one in both versions, and no cache may keep that', async () => {
  const { ask } = openScene(one)
  const admission = await ask({})
  if (admission.kind !== 'said') throw new Error('let in for nothing')
  const { status, headers, body } = admission.said
  expect(status).toBe(402)
  expect(headers['Cache-Control']).toBe('private, no-store')
  expect(JSON.parse(atob(headers['PAYMENT-REQUIRED'] ?? ''))).toMatchObject({
    x402Version: 2,
    resource: { url: URL_ASKED },
    accepts: [{ ...ACCEPTED, extra: { name: 'USDC', version: '2', paymentFlow: 'upfront' } }],
  })
  expect(body).toMatchObject({
    x402Version: 1,
    accepts: [{ network: 'base-sepolia', maxAmountRequired: '10000', resource: URL_ASKED }],
  })
})

test('a payment is settled by the terms of the seller, whatever the payer wrote', async () => {
  const { ask, settlements } = openScene(one)
  const resource = { url: 'http://other.example/' }
  const header = encodeHeader({ x402Version: 2, accepted: ACCEPTED, payload: {}, resource })
  expect(statusOf(await ask({ 'payment-signature': header }))).toBe('admitted')
  expect(settlements).toMatchObject([
    {
      paymentPayload: { resource: { url: URL_ASKED } },
      paymentRequirements: { amount: '10000', payTo: PAY_TO, asset: TOKEN },
    },
  ])
  const cheap = { ...ACCEPTED, amount: '1' }
  const less = encodeHeader({ x402Version: 2, accepted: cheap, payload: {} })
  expect(statusOf(await ask({ 'payment-signature': less }))).toBe(402)
  expect(settlements).toHaveLength(1)
})

test('what is settled says of the place what the seller says, and of the buyer its name for the payment', async () => {
  const bazaar = { info: { input: { type: 'http' } }, schema: {} }
  const settings = { extensions: { bazaar }, description: 'A report', mimeType: 'text/plain' }
  const { ask, settlements } = openScene(one, settings)
  const own = { 'payment-identifier': { info: { required: false, id: 'order-0123456789' } } }
  const junk = { bazaar: { info: { input: { type: 'mcp' } } }, other: 1 }
  const resource = { url: 'http://other.example/', description: 'Mine' }
  const payment = { x402Version: 2, accepted: ACCEPTED, payload: {}, resource }
  const header = encodeHeader({ ...payment, extensions: { ...own, ...junk } })
  expect(statusOf(await ask({ 'payment-signature': header }))).toBe('admitted')
  const said = { url: URL_ASKED, description: 'A report', mimeType: 'text/plain' }
  expect(settlements).toMatchObject([
    { paymentPayload: { resource: said, extensions: { ...own, bazaar } } },
  ])
  const [{ paymentPayload }] = settlements as [{ paymentPayload: { extensions: object } }]
  expect(Object.keys(paymentPayload.extensions).toSorted()).toEqual([
    'bazaar',
    'payment-identifier',
  ])
})

test('a name is offered, and a payment without one is 400 where it is required', async () => {
  const named = (id?: unknown) =>
    encodeHeader({
      ...{ x402Version: 2, accepted: ACCEPTED, payload: {} },
      extensions: { 'payment-identifier': { info: { required: true, id } } },
    })
  const strict = openScene(one, { paymentIdentifier: 'required' })
  const asked = await strict.ask({})
  if (asked.kind !== 'said') throw new Error('let in for nothing')
  expect(JSON.parse(atob(asked.said.headers['PAYMENT-REQUIRED'] ?? ''))).toMatchObject({
    extensions: { 'payment-identifier': { info: { required: true } } },
  })
  for (const header of [PROOF, named(), named('short'), named(7)]) {
    expect(statusOf(await strict.ask({ 'payment-signature': header }))).toBe(400)
  }
  expect(strict.settlements).toEqual([])
  const free = openScene(one)
  expect(statusOf(await free.ask({ 'payment-signature': named('short') }))).toBe(400)
  for (const header of [PROOF, named(), named('order-0123456789')]) {
    const { ask } = openScene(one)
    expect(statusOf(await ask({ 'payment-signature': header }))).toBe('admitted')
  }
})

test.each(['base64', 'base64url'] as const)('a payment in %s is settled', async (alphabet) => {
  // Words of which base64 takes the letters that the other alphabet has not.
  const payment = { x402Version: 2, accepted: ACCEPTED, payload: { a: '>>>???~~~\u00ff' } }
  const header = Buffer.from(JSON.stringify(payment)).toString(alphabet)
  expect(header).toMatch(alphabet === 'base64' ? /[+/]/ : /[-_]/)
  const { ask, settlements } = openScene(one)
  expect(statusOf(await ask({ 'payment-signature': header }))).toBe('admitted')
  expect(settlements).toMatchObject([{ paymentPayload: payment }])
})

test.each([
  ['two payments at once', { 'x-payment': PROOF, 'payment-signature': PROOF }],
  ['one that is no base64', { 'payment-signature': '%%%' }],
  ['one of version 2 in the header of version 1', { 'x-payment': PROOF }],
  ['two headers of one name', { 'payment-signature': `${PROOF}, ${PROOF}` }],
  ['one that is too long', { 'payment-signature': 'A'.repeat(70_000) }],
])('%s is 400 and never settled', async (_, headers) => {
  const { ask, settlements } = openScene(one)
  expect(statusOf(await ask(headers))).toBe(400)
  expect(settlements).toEqual([])
})

test.each([
  ['invalid_exact_evm_insufficient_balance', 402],
  ['invalid_exact_evm_transaction_failed', 402],
  ['duplicate_settlement', 409],
  ['payment_identifier_conflict', 409],
  ['invalid_exact_evm_nonce_already_used', 409],
  ['settlement_pending', 503],
  ['network_unavailable', 503],
  ['gas_budget_spent', 503],
  ['approval_pending', 503],
  ['erc20_approval_tx_wrong_nonce', 402],
  ['receiver_of_another_account', 503],
  ['invalid_payment_requirements', 503],
  ['a reason of tomorrow', 503],
])('"%s" is answered with %d', async (reason, status) => {
  const { ask } = openScene(async () => said(reason))
  expect(statusOf(await ask())).toBe(status)
})

test('a service that cannot be asked is 503, with a payment and without, and nothing is released', async () => {
  const away = openScene(one, { isDown: true })
  expect([statusOf(await away.ask()), statusOf(await away.ask({}))]).toEqual([503, 503])
  const lost = openScene(async () => {
    throw new FlorinError({ code: 'NO_ANSWER', message: 'lost', outcomeUnknown: true })
  })
  const admission = await lost.ask()
  expect(admission).toMatchObject({ said: { status: 503, headers: { 'Retry-After': '2' } } })
})

test('what failed after the settlement is delivered to the same proof, once', async () => {
  let times = 0
  const { ask, undelivered } = openScene(async () => {
    times += 1
    return times === 1 ? SETTLED : said('duplicate_settlement')
  })
  const first = await ask()
  if (first.kind !== 'admitted') throw new Error('not let in')
  // While the handler runs nobody else is let in for it.
  expect(statusOf(await ask())).toBe(409)
  await first.admitted.ended('the handler threw')
  expect(undelivered).toEqual(['the handler threw'])
  const together = await Promise.all([ask(), ask(), ask()])
  expect(together.map(statusOf).toSorted()).toEqual([409, 409, 'admitted'])
  const second = together.find((each) => each.kind === 'admitted')
  if (second?.kind !== 'admitted') throw new Error('not let in')
  expect(JSON.parse(atob(second.admitted.headers['PAYMENT-RESPONSE'] ?? ''))).toMatchObject({
    success: true,
    transaction: '0xabc',
  })
  await second.admitted.ended()
  expect(statusOf(await ask())).toBe(409)
})

test('a settlement that comes after the buyer was told to ask again is kept for it', async () => {
  const late = Promise.withResolvers<X402SettleAnswer>()
  let times = 0
  const paid: (string | null)[] = []
  const { ask, undelivered } = openScene(
    () => {
      times += 1
      return times === 1 ? late.promise : Promise.resolve(said('duplicate_settlement'))
    },
    { clock: clockOf(true), onPaid: ({ paymentId }) => paid.push(paymentId) },
  )
  expect(statusOf(await ask())).toBe(503)
  late.resolve(SETTLED)
  await late.promise
  await Promise.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  expect([undelivered.length, paid]).toEqual([1, ['pay_1']])
})

test.each([
  ['a try of the same request', false],
  ['an earlier request', true],
])('a success that was lost on the way to %s is told of and let in, once', async (_, isEarlier) => {
  const paid: (string | null)[] = []
  let isAway = isEarlier
  const { ask } = openScene(
    async (options) => {
      if (!isAway && isEarlier) return said('duplicate_settlement')
      options?.onLost?.()
      if (!isAway) return said('duplicate_settlement')
      throw new FlorinError({ code: 'NO_ANSWER', message: 'lost', outcomeUnknown: true })
    },
    { onPaid: ({ paymentId }) => paid.push(paymentId) },
  )
  if (isEarlier) expect(statusOf(await ask())).toBe(503)
  isAway = false
  const first = await ask()
  if (first.kind !== 'admitted') throw new Error('not let in')
  expect(statusOf(await ask())).toBe(409)
  await first.admitted.ended()
  expect([statusOf(await ask()), paid]).toEqual([409, ['pay_1']])
})

test('a payment of which this process knows nothing is not delivered for again', async () => {
  const { ask } = openScene(async () => said('duplicate_settlement'))
  const admission = await ask()
  expect(admission).toMatchObject({ said: { status: 409, body: { paymentId: 'pay_1' } } })
})

/** One success for the proof, and after that what the service says of a proof that was used. */
function settlesOnce() {
  let times = 0
  return async () => {
    times += 1
    return times === 1 ? SETTLED : said('duplicate_settlement')
  }
}

test('a proof whose deliveries all fail is delivered for again three times, and then never', async () => {
  const { ask, undelivered } = openScene(settlesOnce())
  for (let time = 0; time < 4; time += 1) {
    const admission = await ask()
    if (admission.kind !== 'admitted') throw new Error(`not let in at ${time}`)
    await admission.admitted.ended('the handler answered 500')
  }
  expect(statusOf(await ask())).toBe(409)
  expect(undelivered).toHaveLength(4)
})

test.each([
  [
    'throws',
    () => {
      throw new Error('mine')
    },
  ],
  ['rejects', () => Promise.reject(new Error('mine'))],
])('an onPaid that %s holds back no goods, and is told of', async (_, onPaid) => {
  const { ask, problems } = openScene(one, { onPaid })
  expect(statusOf(await ask())).toBe('admitted')
  await new Promise((resolve) => setImmediate(resolve))
  expect(problems).toEqual(['callback_failed'])
})

test('records that cannot be written after the settlement are told of, and the proof asks again', async () => {
  let isDown = true
  const { begin, end } = deliveriesInMemory()
  const fails = (): never => {
    throw new Error('no database')
  }
  const deliveries = {
    begin: (id: string, first: boolean) => (isDown ? fails : begin)(id, first),
    end,
  }
  const { ask, undelivered, problems } = openScene(settlesOnce(), { deliveries })
  expect(statusOf(await ask())).toBe(503)
  expect([undelivered.length, problems]).toEqual([1, ['deliveries_failed']])
  expect(statusOf(await ask())).toBe(503)
  expect(undelivered).toHaveLength(1)
  isDown = false
  expect(statusOf(await ask())).toBe('admitted')
})

test('money without goods is told of also when no record of it can be written', async () => {
  const fails = async (): Promise<never> => {
    throw new Error('no database')
  }
  const { ask, undelivered } = openScene(one, { deliveries: { begin: fails, end: fails } })
  expect(statusOf(await ask())).toBe(503)
  expect(undelivered).toHaveLength(1)
})

test('a request whose address is none is 400, and nothing is settled for it', async () => {
  const { ask, settlements } = openScene(one)
  for (const headers of [{}, { 'payment-signature': PROOF }]) {
    expect(statusOf(await ask(headers, 'http://[/report'))).toBe(400)
  }
  expect(settlements).toEqual([])
  expect(() => openScene(one, { baseUrl: 'shop' })).toThrow(FlorinError)
})

test('of its own trouble with the service the seller hears the code, and the buyer one reason', async () => {
  const refusing = openScene(async () => {
    throw new FlorinError({ code: 'RATE_LIMIT_EXCEEDED', message: 'too many' })
  })
  const reason = 'payment_service_unavailable'
  expect(await refusing.ask()).toMatchObject({ said: { status: 503, body: { error: reason } } })
  expect(refusing.problems).toEqual(['RATE_LIMIT_EXCEEDED'])
  const spent = openScene(async () => said('gas_budget_spent'))
  expect(await spent.ask()).toMatchObject({ said: { status: 503, body: { error: reason } } })
  expect(spent.problems).toEqual(['gas_budget_spent'])
  const pending = openScene(async () => said('settlement_pending'))
  expect(await pending.ask()).toMatchObject({ said: { body: { error: 'settlement_pending' } } })
  expect(pending.problems).toEqual([])
  const away = openScene(one, { isDown: true })
  await away.ask()
  expect(away.problems).toEqual(['NO_ANSWER'])
})

test('version 1 is offered one price per network, and a payment is held against that one', async () => {
  const price = { asset: 'USDC', network: 'base-sepolia', payTo: PAY_TO }
  const accepts = [
    { ...price, amount: '0.01' },
    { ...price, amount: '0.02' },
  ]
  const { ask, settlements } = openScene(one, { accepts })
  const admission = await ask({})
  if (admission.kind !== 'said') throw new Error('let in for nothing')
  const { headers, body } = admission.said
  expect(JSON.parse(atob(headers['PAYMENT-REQUIRED'] ?? ''))).toMatchObject({
    accepts: [{ amount: '10000' }, { amount: '20000' }],
  })
  expect(body).toHaveProperty('accepts', [expect.objectContaining({ maxAmountRequired: '10000' })])
  const proof = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: {} }
  expect(statusOf(await ask({ 'x-payment': encodeHeader(proof) }))).toBe('admitted')
  expect(settlements).toMatchObject([{ paymentRequirements: { maxAmountRequired: '10000' } }])
})
