import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { generateKeyPairSigner } from '@solana/kit'
import { until } from '@florin/server/kernel/until.ts'
import { giveAccountAway } from './actors/change-hands.ts'
import type { Reply } from './actors/client.ts'
import { codeOf } from './actors/client.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const AMOUNT = 10_000_000n
const lamports = (said: unknown) => Math.round(Number(said) * 1e9)
const SEND = ['sendTransaction']
const LANDS = { seconds: 40 }

describe('POST /payment/send on Solana', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop())

  const send = (recipientAddress: string, fields: object = {}, headers = {}): Promise<Reply> =>
    world.client().post(
      '/payment/send',
      {
        walletAddress: walletOf(world, 0, 'solana'),
        recipientAddress,
        amount: '0.01',
        timeout: 20,
        ...fields,
      },
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

  test('pays SOL, and the chain shows exactly that', async () => {
    const recipient = world.newAddress('solana')
    const reply = await send(recipient, { metadata: { order: 1 } })
    expect(reply.body).toMatchObject({ status: 'confirmed', amount: 0.01, metadata: { order: 1 } })
    expect(await world.balanceOf(recipient)).toBe(AMOUNT)
    const { fee, priorityFee } = await record(reply)
    expect(lamports(fee)).toBe(5_000 + lamports(priorityFee))
  })

  test('pays a recipient that gives its account away before the payment lands, and says so', async () => {
    const [owner, feePayer] = [await generateKeyPairSigner(), await generateKeyPairSigner()]
    await world.sandbox.fund(owner.address, 'USDC', '0.5')
    await world.sandbox.fund(feePayer.address, 'native', '5')
    await world.sandbox.fault({ chain: 'solana', kind: 'stop-blocks' })
    await world.sandbox.fault({
      ...{ chain: 'solana', kind: 'fail', forward: false, answer: 'http-500' },
      ...{ methods: SEND, count: 1 },
    })
    const reply = await send(owner.address, { asset: 'USDC', waitFor: 'submitted' })
    expect(reply.body).toMatchObject({ status: 'pending' })
    await giveAccountAway(world, owner, feePayer)
    await world.sandbox.clearFaults()
    await world.sandbox.fault({ chain: 'solana', kind: 'resume-blocks' })
    // The money has left the wallet; told as failed, it would be sent a second time.
    expect(await reaches(reply, 'settled', 'failed')).toMatchObject({ status: 'settled' })
  })

  test('pays USDC to somebody without a token account, and its rent is in the fee', async () => {
    const recipient = world.newAddress('solana')
    const reply = await send(recipient, { amount: '2.5', asset: 'USDC', waitFor: 'settled' })
    expect(reply.body).toMatchObject({ status: 'settled', amountBaseUnits: '2500000' })
    expect(Number(reply.body['fee'])).toBeGreaterThan(0.002)
    expect(await world.balanceOf(recipient, 'USDC')).toBe(2_500_000n)
    const again = await send(recipient, { amount: '2.5', asset: 'USDC' })
    expect(Number(again.body['fee'])).toBeLessThan(0.001)
    expect(await world.balanceOf(recipient, 'USDC')).toBe(5_000_000n)
  })

  test.each([
    ['a program', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
    ['the mint', undefined],
    ['the system program', '11111111111111111111111111111111'],
  ])('%s is no recipient', async (_, recipient) => {
    const reply = await send(recipient ?? world.sandbox.solana.usdc)
    expect([reply.status, codeOf(reply)]).toEqual([400, 'INVALID_RECIPIENT'])
  })

  test('200 sends at once from one wallet all land', async () => {
    const recipient = world.newAddress('solana')
    await send(recipient, { amount: '0.001' })
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => send(recipient, { amount: '0.001', timeout: 40 })),
    )
    const seen = new Set(replies.map(({ status, body }) => `${status} ${String(body['status'])}`))
    // What is answered late may be final by then.
    expect([...seen].filter((each) => !/^200 (confirmed|settled)$/.test(each))).toEqual([])
    expect(await world.balanceOf(recipient)).toBe(201_000_000n)
  })

  test.each(['http-500', 'connection-reset'] as const)(
    'an answer that is lost after the node took the bytes (%s) pays once',
    async (answer) => {
      const recipient = world.newAddress('solana')
      const fault = { kind: 'fail', forward: true, answer, methods: SEND, count: 1 } as const
      await world.sandbox.fault({ ...fault, chain: 'solana' })
      const reply = await send(recipient)
      expect(reply.body['status']).toBe('confirmed')
      expect((await record(reply))['attempts']).toHaveLength(1)
      expect(await world.balanceOf(recipient)).toBe(AMOUNT)
    },
  )

  test('bytes that the node swallowed are sent again, the same ones', async () => {
    const recipient = world.newAddress('solana')
    await world.sandbox.fault({ chain: 'solana', kind: 'drop', count: 1 })
    const reply = await send(recipient)
    expect(reply.body['status']).toBe('confirmed')
    expect((await record(reply))['attempts']).toHaveLength(1)
    expect(await world.balanceOf(recipient)).toBe(AMOUNT)
  })

  test('a minority fork takes confirmed back to pending, and it lands again, once', async () => {
    const recipient = world.newAddress('solana')
    await world.sandbox.fault({ chain: 'solana', kind: 'fork', transactions: 1, slots: 4 })
    const reply = await send(recipient)
    expect(reply.body['status']).toBe('confirmed')
    await reaches(reply, 'settled')
    expect(await world.balanceOf(recipient)).toBe(AMOUNT)
  })

  test.each([undefined, 'rebuild.before-commit', 'rebuild.after-commit'])(
    'bytes that expired unseen are replaced only on evidence, and paid once (killed at: %s)',
    async (killPoint) => {
      if (killPoint !== undefined) {
        await world.service().stop()
        await world.start({ killPoint: `${killPoint}:1` })
      }
      const doomed = world.service()
      const recipient = world.newAddress('solana')
      await world.sandbox.fault({ chain: 'solana', kind: 'drop' })
      const reply = await send(recipient, { waitFor: 'submitted' })
      await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
      if (killPoint !== undefined) {
        expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })
        await world.start()
      }
      const attempts = async () => ((await record(reply))['attempts'] as unknown[]).length
      await until('a second attempt was stored', async () => (await attempts()) >= 2, LANDS)
      await world.sandbox.clearFaults()
      const landed = await reaches(reply, 'settled')
      expect(landed['attempts']).toHaveLength(2)
      expect(await world.balanceOf(recipient)).toBe(AMOUNT)
    },
  )
})
