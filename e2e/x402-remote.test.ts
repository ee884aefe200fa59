import { createPublicClient, http } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Reply } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { headerOf, receive, receiving } from './actors/receiver.ts'
import { startRemote } from './actors/remote.ts'
import type { Remote, Trick } from './actors/remote.ts'
import { aPurchase, EVM, PRICE } from './actors/seller.ts'
import type { Purchase } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

let world: World
let remote: Remote
beforeAll(async () => {
  world = await openWorld()
  remote = await startRemote(world)
  await world.start({ facilitators: remote.setting })
}, 240_000)
afterEach(() => {
  remote.trick('verify')
  remote.trick('settle')
  remote.asked.length = 0
})
afterAll(async () => {
  await remote.stop()
  await world.stop()
}, 240_000)

const call = (purchase: Purchase, more: Fields = {}, headers: Record<string, string> = {}) =>
  receive(world.client(), receiving(purchase, { facilitatorUrl: remote.url, ...more }), headers)
const tricked = (purchase: Purchase, more: Fields = {}) =>
  call(purchase, { facilitatorUrl: remote.trickedUrl, ...more })
const verdict = (reply: Reply) =>
  reply.status === 200 ? '200' : `${reply.status} ${String(codeOf(reply))}`
const balance = ({ payTo }: { payTo: string }) => world.balanceOf(payTo, 'USDC')
const settles = () => remote.asked.filter(({ path }) => path === 'settle').length
const payerOfGas = async (reply: Reply) => {
  const chain = createPublicClient({ transport: http(world.sandbox.rpcUrl) })
  const hash = reply.body['signature'] as `0x${string}`
  return (await chain.getTransaction({ hash })).from.toLowerCase()
}
const say =
  (status: number, body: string, headers: Record<string, string> = {}): Trick =>
  async (_, answer) => {
    answer.writeHead(status, headers).end(body)
  }
/** Settles as it should, and then something comes between. */
const settleThen =
  (then: Trick): Trick =>
  async (honest, answer) => {
    await honest()
    await then(honest, answer)
  }
const hang: Trick = async () => undefined

test.each([1, 2] as const)(
  'another facilitator settles when it is listed and named, in version %i, and the answer says who it was',
  async (version) => {
    const purchase = await aPurchase(world)
    const reply = await call(purchase, { paymentProof: headerOf(purchase, version) })
    expect(reply.body).toMatchObject({
      success: true,
      network: EVM,
      sender: purchase.payer.address,
      recipient: purchase.payTo,
      facilitator: remote.url,
    })
    expect(await balance(purchase)).toBe(PRICE)
    expect(remote.settlers.map((each) => each.toLowerCase())).toContain(await payerOfGas(reply))
    const again = await call(purchase, { paymentProof: headerOf(purchase, version) })
    expect(verdict(again)).toBe('409 DUPLICATE_SETTLEMENT')
    expect(detailsOf(again)).toMatchObject({ paymentId: reply.body['paymentId'] })
  },
)

test('one that is not listed is refused before anything is asked or stored', async () => {
  const purchase = await aPurchase(world)
  for (const facilitatorUrl of [
    `${remote.url}/more`,
    remote.url.replace('/x402', ''),
    remote.url.replace('127.0.0.1', 'localhost'),
    'http://169.254.169.254/x402',
  ]) {
    const reply = await call(purchase, { facilitatorUrl })
    expect([verdict(reply), Object.keys(detailsOf(reply))]).toEqual([
      '400 INVALID_PARAMETERS',
      ['facilitatorUrl'],
    ])
  }
  expect(await balance(purchase)).toBe(0n)
  expect(verdict(await call(purchase))).toBe('200')
})

test('it is asked by its own key alone: nothing of the caller goes there', async () => {
  const purchase = await aPurchase(world)
  expect(verdict(await tricked(purchase))).toBe('200')
  expect(remote.asked).toEqual([{ path: 'settle', authorization: undefined }])
})

test('verifying asks it, too, and moves nothing', async () => {
  const purchase = await aPurchase(world)
  const { payTo: recipient } = purchase
  const verify = (facilitator: string) =>
    world.client().post('/v1/payments/verify', {
      payment_proof: headerOf(purchase),
      amount: '0.01',
      recipient,
      facilitator_url: facilitator,
    })
  expect((await verify(remote.url)).body).toMatchObject({ valid: true })
  const no = JSON.stringify({ isValid: false, invalidReason: 'asset_not_listed' })
  remote.trick('verify', say(200, no))
  expect((await verify(remote.trickedUrl)).body).toMatchObject({
    valid: false,
    reason: 'asset_not_listed',
  })
  expect(verdict(await verify('https://unlisted.example/x402'))).toBe('400 INVALID_PARAMETERS')
  expect([await balance(purchase), settles()]).toEqual([0n, 0])
})

test('many who ask at once have it asked once, and one of them gets the success', async () => {
  const purchase = await aPurchase(world)
  const replies = await Promise.all(Array.from({ length: 8 }, () => tricked(purchase)))
  expect(replies.map(verdict).toSorted()).toEqual([
    '200',
    ...Array.from({ length: 7 }, () => '409 DUPLICATE_SETTLEMENT'),
  ])
  expect([await balance(purchase), settles()]).toEqual([PRICE, 1])
})

test('a key gets the same success again', async () => {
  const purchase = await aPurchase(world)
  const headers = { 'idempotency-key': 'remote-1' }
  const first = await call(purchase, {}, headers)
  const again = await call(purchase, {}, headers)
  expect([again.status, again.body['paymentId']]).toEqual([200, first.body['paymentId']])
  expect(again.body['facilitator']).toBe(remote.url)
})

const LIES: Record<string, Trick> = {
  'says yes and does nothing': say(200, JSON.stringify({ success: true, transaction: '0xabc' })),
  'names a transaction of somebody else': say(
    200,
    JSON.stringify({ success: true, transaction: `0x${'1'.repeat(64)}`, network: EVM }),
  ),
  'never answers': hang,
  'sends elsewhere': say(307, '', { location: 'http://127.0.0.1:1/' }),
  'says nothing that can be read': say(200, '{"success":'),
  'says too much': say(200, `{"success":true,"x":"${'x'.repeat(200_000)}"}`),
  'is broken': say(500, JSON.stringify({ success: false, errorReason: 'invalid_payload' })),
  'says that it is at it': say(
    200,
    JSON.stringify({ success: false, errorReason: 'settlement_pending', transaction: '0x1' }),
  ),
}

test.each(Object.entries(LIES))(
  'one that %s leaves the payment pending, never failed, and settled by whoever does',
  async (_, lie) => {
    const purchase = await aPurchase(world)
    remote.trick('settle', lie)
    const reply = await tricked(purchase, { timeout: 1 })
    expect(verdict(reply)).toBe('503 SETTLEMENT_PENDING')
    const { paymentId } = detailsOf(reply) as { paymentId: string }
    const status = await world.client().get(`/payment/status/${paymentId}`)
    expect([status.body['status'], await balance(purchase)]).toEqual(['pending', 0n])
    // The same again waits beside it and asks nobody; this service itself may be asked after all.
    expect(verdict(await tricked(purchase, { timeout: 0 }))).toBe('503 SETTLEMENT_PENDING')
    expect(settles()).toBe(1)
    const own = await receive(world.client(), receiving(purchase))
    expect(own.body).toMatchObject({
      success: true,
      paymentId,
      facilitator: `${world.service().baseUrl}/x402`,
    })
    expect(await balance(purchase)).toBe(PRICE)
  },
)

const LOST: Record<string, Trick> = {
  'never answers': settleThen(hang),
  breaks: settleThen(say(502, 'bad gateway')),
  'says no': settleThen(
    say(200, JSON.stringify({ success: false, errorReason: 'unexpected_settle_error' })),
  ),
}

test.each(Object.entries(LOST))(
  'what it settled counts though it then %s: the chain is believed',
  async (_, trick) => {
    const purchase = await aPurchase(world)
    remote.trick('settle', trick)
    const reply = await tricked(purchase)
    expect(reply.body).toMatchObject({ success: true, facilitator: remote.trickedUrl })
    expect([await balance(purchase), settles()]).toEqual([PRICE, 1])
  },
)

test('its no is told, and the same call may ask it again', async () => {
  const purchase = await aPurchase(world)
  const no = JSON.stringify({ success: false, errorReason: 'gas_budget_spent' })
  remote.trick('settle', say(402, no))
  const refused = await tricked(purchase)
  expect([verdict(refused), detailsOf(refused)]).toEqual([
    '400 POLICY_REFUSED',
    { reason: 'gas_budget_spent' },
  ])
  remote.trick('settle')
  expect(verdict(await tricked(purchase))).toBe('200')
  expect([await balance(purchase), settles()]).toEqual([PRICE, 2])
})

test('the proof is claimed before another facilitator hears of it', async () => {
  const purchase = await aPurchase(world)
  const claimed: unknown[] = []
  remote.trick('settle', async (honest, answer) => {
    claimed.push(
      ...(await world.database.store.query(
        'test_claimed',
        `select p.status from payments p join settlement_claims c on c.payment_id = p.id where recipient = $1`,
        [purchase.payTo],
      )),
    )
    const { status, text } = await honest()
    answer.writeHead(status).end(text)
  })
  expect(verdict(await tricked(purchase))).toBe('200')
  expect(claimed).toEqual([{ status: 'pending' }])
})

test('a transaction that it calls failed and that lands later is pending, never a no', async () => {
  const purchase = await aPurchase(world)
  const { promise: later, resolve: goOn } = Promise.withResolvers<void>()
  const reason = 'invalid_exact_evm_transaction_failed'
  let landed: Promise<unknown> = Promise.resolve()
  remote.trick('settle', async (honest, answer) => {
    answer.writeHead(200).end(JSON.stringify({ success: false, errorReason: reason }))
    landed = later.then(honest).catch(() => undefined)
    await Promise.resolve()
  })
  const reply = await tricked(purchase, { timeout: 1 })
  expect(verdict(reply)).toBe('503 SETTLEMENT_PENDING')
  goOn()
  await landed
  expect(verdict(await tricked(purchase))).toBe('200')
  expect([await balance(purchase), settles()]).toEqual([PRICE, 1])
})

test('what it settles after everybody has gone is seen all the same', async () => {
  const purchase = await aPurchase(world)
  let settle: () => void = () => undefined
  const told = new Promise<void>((resolve) => {
    settle = resolve
  })
  remote.trick('settle', async (honest, answer) => {
    await told
    await honest()
    answer.destroy()
  })
  const reply = await tricked(purchase, { timeout: 0 })
  expect(verdict(reply)).toBe('503 SETTLEMENT_PENDING')
  const { paymentId } = detailsOf(reply) as { paymentId: string }
  settle()
  await until(
    'the record is settled',
    async () =>
      (await world.client().get(`/payment/status/${paymentId}`)).body['status'] === 'settled',
    { seconds: 30 },
  )
  expect(await balance(purchase)).toBe(PRICE)
})
