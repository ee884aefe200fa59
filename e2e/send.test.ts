import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Client } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

describe('POST /payment/send', () => {
  let world: World
  let client: Client
  beforeAll(async () => {
    world = await openWorld()
    client = world.client()
  })
  afterAll(() => world.stop())

  const order = (fields: Record<string, unknown> = {}) => ({
    walletAddress: walletOf(world),
    recipientAddress: world.newAddress(),
    amount: 0.01,
    ...fields,
  })

  test('pays native currency, and the chain shows exactly that', async () => {
    const body = order({ amount: 0.123, metadata: { referenceId: 'a-1', n: 1.0 } })
    const reply = await client.post('/payment/send', body)
    expect(reply.body).toMatchObject({
      success: true,
      status: 'confirmed',
      amount: 0.123,
      metadata: { referenceId: 'a-1' },
    })
    expect(reply.status).toBe(200)
    expect(await world.balanceOf(body.recipientAddress)).toBe(123_000_000_000_000_000n)
  })

  test('pays USDC, and the record reaches settled', async () => {
    const body = order({ amount: '2.5', asset: 'USDC', waitFor: 'settled' })
    const reply = await client.post('/api/payment/send', body)
    expect(reply.body).toMatchObject({
      status: 'settled',
      amount: 2.5,
      amountBaseUnits: '2500000',
      asset: world.sandbox.usdc,
    })
    expect(await world.balanceOf(body.recipientAddress, 'USDC')).toBe(2_500_000n)
    const record = await client.get(`/payment/status/${String(reply.body['paymentId'])}`)
    expect(record.body).toMatchObject({
      status: 'settled',
      type: 'sent',
      attempts: [{ number: 1, status: 'mined' }],
    })
  })

  test('the same key is the same payment, for 50 requests at once', async () => {
    const body = order()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        client.post('/payment/send', body, { 'idempotency-key': 'fifty' }),
      ),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(replies.map(({ body: { paymentId } }) => paymentId)).size).toBe(1)
    expect(
      replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true'),
    ).toHaveLength(49)
    expect(await world.balanceOf(body.recipientAddress)).toBe(10_000_000_000_000_000n)
  })

  test('a wallet that cannot cover amount and fee ceiling says what is missing, and nothing moves', async () => {
    const reply = await client.post('/payment/send', order({ amount: 99 }), {
      'idempotency-key': 'short',
    })
    expect(codeOf(reply)).toBe('INSUFFICIENT_BALANCE')
    expect(Number(detailsOf(reply)['required'])).toBeGreaterThan(99)
    const again = await client.post('/payment/send', order({ amount: 0.001 }), {
      'idempotency-key': 'short',
    })
    expect(again.status).toBe(200)
  })

  test('200 sends at once from one wallet all land', async () => {
    const recipient = world.newAddress()
    const replies = await Promise.all(
      Array.from({ length: 200 }, () =>
        client.post(
          '/payment/send',
          order({ recipientAddress: recipient, amount: '0.001', timeout: 30 }),
        ),
      ),
    )
    const seen = new Set(replies.map(({ status, body }) => `${status} ${String(body['status'])}`))
    // What is answered late may be final by then.
    expect([...seen].filter((each) => !/^200 (confirmed|settled)$/.test(each))).toEqual([])
    expect(await world.balanceOf(recipient)).toBe(200_000_000_000_000_000n)
    await until(
      'all settled',
      async () => {
        const open = await world.database.store.query<{ open: string }>(
          'test_open',
          `select count(*) as open from payments where status <> 'settled'`,
        )
        return open[0]?.open === '0'
      },
      { seconds: 30 },
    )
  })
})
