import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { codeOf } from './actors/client.ts'
import type { Reply } from './actors/client.ts'
import { testPayer } from '@florin/server/chains/evm/test-payer.ts'
import {
  aPurchase,
  aStranger,
  EVM,
  PRICE,
  purchaseFrom,
  settle,
  submitElsewhere,
} from './actors/seller.ts'
import type { Purchase } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const SEND = ['eth_sendRawTransaction']

/** Far above what the service offers: a block takes this first. */
const FIRST_TIP_PER_GAS = 50_000_000_000n

describe('POST /x402/settle', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop())

  const reasons = (replies: readonly Reply[]) =>
    replies.map(({ body }) => (body['success'] === true ? 'success' : String(body['errorReason'])))
  const transactionsOf = async (payTo: string): Promise<number> => {
    const rows = await world.database.store.query<{ places: string }>(
      'test_places',
      `select count(*) as places from payments join payment_transactions on payment_id = id where recipient = $1`,
      [payTo],
    )
    return Number(rows[0]?.places)
  }
  const recordOf = async (payTo: string) => {
    const rows = await world.database.store.query<{ status: string; transaction_hash: string }>(
      'test_record',
      'select status, transaction_hash from payments where recipient = $1',
      [payTo],
    )
    return rows[0]
  }
  const statusOf = async (reply: Reply): Promise<unknown> => {
    const { paymentId } = reply.body['extra'] as { paymentId: string }
    return (await world.client().get(`/payment/status/${paymentId}`)).body['status']
  }

  test('settles once what fifty ask for at the same moment, and one of them has the success', async () => {
    const purchase = await aPurchase(world)
    const replies = await Promise.all(Array.from({ length: 50 }, () => settle(world, purchase)))
    const said = reasons(replies)
    expect(said.filter((reason) => reason === 'success')).toHaveLength(1)
    expect(new Set(said)).toEqual(new Set(['success', 'duplicate_settlement']))
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
    expect(await transactionsOf(purchase.payTo)).toBe(1)
  })

  test('answers a repeat with the hash, and moves nothing', async () => {
    const purchase = await aPurchase(world)
    const first = await settle(world, purchase)
    const again = await settle(world, purchase)
    expect(again.body).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
      transaction: first.body['transaction'],
      network: EVM,
    })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })

  test('gives its success again under the same Idempotency-Key, however its path is spelled, and another body is refused unsettled', async () => {
    const purchase = await aPurchase(world)
    const other = await aPurchase(world)
    const client = world.client()
    const key = { 'idempotency-key': 'order-1001' }
    const first = await client.post('/x402/settle', purchase.body, key)
    const again = await client.post('/api/x402/settle', purchase.body, key)
    expect(first.body).toMatchObject({ success: true, network: EVM })
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const mismatch = await client.post('/x402/settle', other.body, key)
    expect([mismatch.status, codeOf(mismatch)]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    expect(await transactionsOf(other.payTo)).toBe(0)
    const otherKey = { 'idempotency-key': 'order-1002' }
    const repeats = [
      await settle(world, purchase),
      await client.post('/x402/settle', purchase.body, otherKey),
    ]
    expect(reasons(repeats)).toEqual(['duplicate_settlement', 'duplicate_settlement'])
    // A key that got no success is as free as before.
    expect(reasons([await client.post('/x402/settle', other.body, otherKey)])).toEqual(['success'])
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })

  test('tells whoever shows a payment that its payer did not sign nothing of it, whether it is claimed or not', async () => {
    const payer = testPayer()
    await world.sandbox.fund(payer.address, 'USDC', '1')
    const nonce = `0x${'5a'.repeat(32)}` as const
    const refusal = { success: false, errorReason: 'invalid_exact_evm_signature', transaction: '' }
    const purchase = await purchaseFrom(world, payer, { nonce })
    expect((await settle(world, purchase)).body).toMatchObject({ success: true })
    // First, since after the other one every signature is looked at for a while.
    const claimed = { from: payer.address, nonce, to: purchase.payTo }
    const shown = await purchaseFrom(world, testPayer(), claimed)
    expect((await settle(world, shown)).body).toMatchObject(refusal)
    const unclaimed = await purchaseFrom(world, testPayer(), { from: payer.address })
    expect((await settle(world, unclaimed)).body).toMatchObject(refusal)
    expect(await recordOf(unclaimed.payTo)).toBeUndefined()
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })

  test('tells another account nothing of a claim', async () => {
    const purchase = await aPurchase(world)
    const first = await settle(world, purchase)
    expect(first.body['success']).toBe(true)
    const other = { ...purchase.body.paymentRequirements, resource: 'https://shop.example/b' }
    const reply = await world.client().post('/x402/settle', {
      ...purchase.body,
      paymentPayload: {
        ...purchase.body.paymentPayload,
        resource: { url: 'https://shop.example/other' },
      },
      paymentRequirements: other,
    })
    expect(reply.body).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
      transaction: '',
    })
  })

  test('finds and counts what a stranger submitted first', async () => {
    const purchase = await aPurchase(world)
    const hash = await submitElsewhere(world, purchase)
    await until(
      'the stranger has paid',
      async () => (await world.balanceOf(purchase.payTo, 'USDC')) === PRICE,
      { seconds: 30 },
    )
    const reply = await settle(world, purchase)
    expect(reply.body).toMatchObject({ success: true, transaction: hash })
    await until('it is settled', async () => (await statusOf(reply)) === 'settled', { seconds: 30 })
    expect(await transactionsOf(purchase.payTo)).toBe(0)
  })

  test('what a stranger submitted to a custodial wallet has one record, which came as a deposit', async () => {
    const [, wallet] = world.service().wallets.filter(({ family }) => family === 'evm')
    const purchase = await aPurchase(world, { to: wallet?.address as Purchase['payTo'] })
    const hash = await submitElsewhere(world, purchase)
    const records = () =>
      world.database.store.query<{ id: string; status: string }>(
        'test_received_in',
        `select id, status from payments where transaction_hash = $1 and type = 'received'`,
        [hash],
      )
    await until('the deposit is there', async () => (await records()).length > 0, { seconds: 30 })
    const reply = await settle(world, purchase)
    expect(reply.body).toMatchObject({ success: true, transaction: hash })
    await until('it is settled', async () => (await statusOf(reply)) === 'settled', { seconds: 30 })
    expect((await records()).map(({ id }) => id)).toEqual([
      (reply.body['extra'] as { paymentId: string }).paymentId,
    ])
    expect((await settle(world, purchase)).body).toMatchObject({ success: false })
  })

  test('is a success when a stranger was faster than our own attempt, which reverted', async () => {
    const purchase = await aPurchase(world)
    const submit = await aStranger(world)
    // The bytes wait in the pool while a stranger is faster: ours is included and reverts.
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const pending = settle(world, purchase)
    await until('it is signed', async () => (await transactionsOf(purchase.payTo)) === 1, {
      seconds: 30,
    })
    const hash = await submit(purchase, FIRST_TIP_PER_GAS)
    await world.sandbox.fault({ kind: 'resume-blocks' })
    expect((await pending).body).toMatchObject({ success: true, transaction: hash })
    await until(
      'the record says who paid',
      async () => {
        const record = await recordOf(purchase.payTo)
        return record?.status === 'settled' && record.transaction_hash === hash
      },
      { seconds: 30 },
    )
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })

  test.each([
    ['what shows logs does not', ['eth_call'], true],
    ['so does what shows logs', ['eth_call', 'eth_getLogs', 'eth_blockNumber'], false],
  ])(
    'is no failure when a stranger was faster and what calls contracts lags behind that block: %s',
    async (_, methods, success) => {
      const purchase = await aPurchase(world)
      const submit = await aStranger(world)
      await world.sandbox.fault({ kind: 'stop-blocks' })
      const first = settle(world, purchase)
      await until('it is signed', async () => (await transactionsOf(purchase.payTo)) === 1, {
        seconds: 30,
      })
      // Blocks and receipts are those of now.
      await world.sandbox.fault({ kind: 'lag', blocks: 20, methods })
      const hash = await submit(purchase, FIRST_TIP_PER_GAS)
      await world.sandbox.fault({ kind: 'resume-blocks' })
      const reply = await first
      expect(reply.body['success']).toBe(success)
      if (!success) expect(await statusOf(reply)).toBe('pending')
      await world.sandbox.clearFaults()
      await until('it is settled', async () => (await statusOf(reply)) === 'settled', {
        seconds: 40,
      })
      const told = success ? reply : await settle(world, purchase)
      expect(told.body).toMatchObject({ success: true, transaction: hash })
      expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
    },
  )

  test('an authorization that is never used expires, proven at finality', async () => {
    const validBefore = Math.floor(Date.now() / 1000) + 20
    const purchase = await aPurchase(world, { validBefore: BigInt(validBefore) })
    await world.sandbox.fault({ kind: 'fail', answer: 'http-500', methods: SEND, forward: false })
    const gone = new AbortController()
    const asking = settle(world, purchase, gone.signal).catch(() => null)
    const state = () => recordOf(purchase.payTo)
    await until('it is signed', async () => (await state())?.status === 'pending', { seconds: 30 })
    gone.abort()
    await asking
    await until('the chain is past its end', () => Date.now() > validBefore * 1000, { seconds: 60 })
    await world.sandbox.clearFaults()
    // The bytes go out after all, too late: they are included and move nothing.
    await until('it is expired', async () => (await state())?.status === 'expired', { seconds: 40 })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(0n)
  })

  test('gives a success that was cut off to the same call again', async () => {
    const purchase = await aPurchase(world)
    const { baseUrl, apiKeys } = world.service()
    const cut = new AbortController()
    const first = fetch(`${baseUrl}/x402/settle`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKeys.enterprise}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(purchase.body),
      signal: cut.signal,
    })
    await until('it is signed', async () => (await transactionsOf(purchase.payTo)) === 1, {
      seconds: 30,
    })
    cut.abort()
    await expect(first).rejects.toThrow()
    const again = await settle(world, purchase)
    expect(again.body).toMatchObject({ success: true })
    expect((await settle(world, purchase)).body).toMatchObject({ success: false })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })
})
