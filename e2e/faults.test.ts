import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Reply } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'
import { inNextBlock } from './actors/in-next-block.ts'
import { TOLD } from './actors/told.ts'

const AMOUNT = 10_000_000_000_000_000n
const SEND = ['eth_sendRawTransaction']
const LANDS = { seconds: 60 }

describe('a chain node that misbehaves', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop())

  const send = (recipientAddress: string, fields: object = {}, headers = {}): Promise<Reply> =>
    world
      .client()
      .post(
        '/payment/send',
        { walletAddress: walletOf(world), recipientAddress, amount: '0.01', ...fields },
        headers,
      )
  const record = async (reply: Reply): Promise<Record<string, unknown>> =>
    (await world.client().get(`/payment/status/${String(reply.body['paymentId'])}`)).body
  const reaches = (reply: Reply, ...statuses: string[]) =>
    until(
      `the payment is ${statuses.join(' or ')}`,
      async () => {
        const found = await record(reply)
        return statuses.includes(String(found['status'])) && found
      },
      LANDS,
    )

  test.each([
    'http-500',
    'connection-reset',
    { code: -32000, message: 'backend is busy' },
  ] as const)(
    'an answer that is lost after the node took the bytes (%j) pays once',
    async (answer) => {
      const recipient = world.newAddress()
      await world.sandbox.fault({ kind: 'fail', forward: true, answer, methods: SEND, count: 1 })
      const reply = await send(recipient)
      expect(reply.body['status']).toBe('confirmed')
      expect(await world.balanceOf(recipient)).toBe(AMOUNT)
      expect((await record(reply))['attempts']).toHaveLength(1)
    },
  )

  test('bytes that the node swallowed are sent again, the same ones', async () => {
    const recipient = world.newAddress()
    await world.sandbox.fault({ kind: 'drop', count: 1 })
    const reply = await send(recipient)
    expect(reply.body['status']).toBe('confirmed')
    expect((await record(reply))['attempts']).toHaveLength(1)
    expect(await world.balanceOf(recipient)).toBe(AMOUNT)
  })

  test('a node that never takes the bytes leaves the payment pending with its hash, and it lands later', async () => {
    const recipient = world.newAddress()
    await world.sandbox.fault({ kind: 'fail', forward: false, answer: 'http-500', methods: SEND })
    const reply = await send(recipient, { timeout: 1 })
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ status: 'pending', signature: expect.stringMatching(/^0x/) })
    await world.sandbox.clearFaults()
    const landed = await reaches(reply, 'confirmed', 'settled')
    expect(landed['signature']).toBe(reply.body['signature'])
    expect(await world.balanceOf(recipient)).toBe(AMOUNT)
  })

  test('a node that is down is not the payer’s fault: 503, nothing stored, the key still free', async () => {
    const recipient = world.newAddress()
    const key = { 'idempotency-key': 'while-the-node-was-down' }
    await world.sandbox.fault({ kind: 'down', how: 'connection-reset' })
    const refused = await send(recipient, {}, key)
    expect([refused.status, codeOf(refused)]).toEqual([503, 'NETWORK_ERROR'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await world.sandbox.clearFaults()
    const reply = await send(recipient, {}, key)
    expect(reply.body['status']).toBe('confirmed')
    expect(reply.headers.get('idempotent-replayed')).toBeNull()
    expect(await world.balanceOf(recipient)).toBe(AMOUNT)
  })

  test('a transaction that the pool forgot is sent again', async () => {
    const recipient = world.newAddress()
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const reply = await send(recipient, { waitFor: 'submitted' })
    await world.sandbox.fault({ kind: 'evict', transactionHash: String(reply.body['signature']) })
    await world.sandbox.fault({ kind: 'resume-blocks' })
    await reaches(reply, 'confirmed', 'settled')
    expect(await world.balanceOf(recipient)).toBe(AMOUNT)
  })

  test('a reorg takes confirmed back to pending, and the same bytes land again, once', async () => {
    const recipient = world.newAddress()
    // No block comes after its own until that is gone, however long the rest takes.
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const reply = await send(recipient, { waitFor: 'submitted' })
    await inNextBlock(world, reply.body['signature'])
    await reaches(reply, 'confirmed')
    await world.sandbox.fault({ kind: 'reorg', depth: 1 })
    const events = () =>
      world.database.store.inTransaction('service', (tx) =>
        tx.query<{ status: string }>(
          'test_events',
          `select data ->> 'status' as status from ${TOLD} where resource_id = $1 order by sequence, id, nth`,
          [reply.body['paymentId']],
        ),
      )
    await until('the reorg was seen', async () => (await events()).length >= 3, LANDS)
    await world.sandbox.fault({ kind: 'resume-blocks' })
    const settled = await reaches(reply, 'settled')
    expect(settled['signature']).toBe(reply.body['signature'])
    expect((await events()).map(({ status }) => status)).toEqual([
      'pending',
      'confirmed',
      'pending',
      'confirmed',
      'settled',
    ])
    expect(await world.balanceOf(recipient)).toBe(AMOUNT)
  })

  test.each([undefined, 'bump.before-commit', 'bump.after-commit'])(
    'a base fee that overtakes a payment raises its fee within the ceiling (killed at: %s)',
    async (killPoint) => {
      if (killPoint !== undefined) {
        await world.service().stop()
        await world.start({ killPoint: `${killPoint}:1` })
      }
      const doomed = world.service()
      const recipient = world.newAddress()
      await world.sandbox.fault({ kind: 'stop-blocks' })
      const reply = await send(recipient, { waitFor: 'submitted' })
      const [terms] = await world.database.store.query<{ fee: string }>(
        'test_terms',
        `select terms ->> 'maxFeePerGas' as fee from attempts where hash = $1`,
        [reply.body['signature']],
      )
      const weiPerGas = ((BigInt(terms?.fee ?? '0') * 5n) / 4n).toString()
      const dearBlock = async () => {
        await world.sandbox.fault({ kind: 'base-fee', weiPerGas })
        await world.sandbox.mine()
        return false
      }
      let isDead = false
      void doomed.ended.then(() => (isDead = true))
      if (killPoint !== undefined) {
        await until('the service died', () => isDead || dearBlock(), LANDS)
        await world.start()
      }
      const attempts = async () => ((await record(reply))['attempts'] as unknown[]).length
      await until(
        'a second attempt was stored',
        async () => (await attempts()) >= 2 || dearBlock(),
        LANDS,
      )
      await world.sandbox.fault({ kind: 'resume-blocks' })
      const landed = await reaches(reply, 'settled')
      expect(landed['attempts']).toMatchObject([{ status: 'replaced' }, { status: 'mined' }])
      expect(await world.balanceOf(recipient)).toBe(AMOUNT)
    },
  )

  test('amounts beyond the balance are refused with what is required and available', async () => {
    const reply = await send(world.newAddress(), { amount: '100' })
    expect([reply.status, codeOf(reply)]).toEqual([400, 'INSUFFICIENT_BALANCE'])
    expect(detailsOf(reply)).toMatchObject({
      asset: 'ETH',
      required: expect.any(String),
      available: expect.any(String),
    })
  })
})
