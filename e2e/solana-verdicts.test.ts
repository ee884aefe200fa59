import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SAYINGS, TROUBLES } from '@florin/server/chains/solana/test-sayings.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

/** 0.001 SOL. */
const AMOUNT = 1_000_000n
const ANSWERS = [...SAYINGS, ...TROUBLES].map(([code, message]) => ({ code, message }))

describe('whatever a Solana node says about bytes it has or has not taken', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  test('the payment stays pending while it is not seen, and lands exactly once', async () => {
    // No recipient is new to the chain: a first payment below the rent-exempt minimum is refused.
    const recipients = new Map<string, object>()
    await world.sandbox.fault({ chain: 'solana', kind: 'stop-blocks' })
    const payments: string[] = []
    for (const answer of ANSWERS) {
      for (const forward of [true, false]) {
        const recipient = world.newAddress('solana')
        const fault = {
          kind: 'fail',
          forward,
          answer,
          methods: ['sendTransaction'],
          count: 1,
        } as const
        await world.sandbox.fault({ ...fault, chain: 'solana' })
        const reply = await world.client().post('/payment/send', {
          walletAddress: walletOf(world, payments.length % 2, 'solana'),
          recipientAddress: recipient,
          amount: '0.001',
          waitFor: 'submitted',
          timeout: 5,
        })
        const saying = `${answer.code} ${answer.message} ${forward}`
        expect([saying, reply.status, reply.body['status']]).toEqual([saying, 200, 'pending'])
        recipients.set(recipient, { saying })
        payments.push(String(reply.body['paymentId']))
      }
    }
    await world.sandbox.clearFaults()
    await until(
      'all of them are settled',
      async () => {
        const rows = await world.database.store.query<{ count: string }>(
          'test_settled',
          `select count(*) as count from payments where id = any($1) and status = 'settled'`,
          [payments],
        )
        return Number(rows[0]?.count) === payments.length
      },
      { seconds: 60 },
    )
    for (const [recipient, facts] of recipients) {
      expect([facts, await world.balanceOf(recipient)]).toEqual([facts, AMOUNT])
    }
  })

  test('a node that lags, or finds nothing of what landed, decides nothing', async () => {
    const send = (recipientAddress: string) =>
      world.client().post('/payment/send', {
        walletAddress: walletOf(world, 0, 'solana'),
        recipientAddress,
        amount: '0.01',
        timeout: 20,
      })
    for (const fault of [
      { kind: 'lag', slots: 20 },
      { kind: 'blind', count: 5 },
    ] as const) {
      const recipient = world.newAddress('solana')
      const sending = send(recipient)
      await world.sandbox.fault({ ...fault, chain: 'solana' })
      const reply = await sending
      await world.sandbox.clearFaults()
      // A lagging node may have refused the draft: then nothing was stored. Otherwise it lands once.
      expect([200, 503]).toContain(reply.status)
      await world.expectSound()
      const paid = reply.status === 200 ? 10n * AMOUNT : 0n
      expect(await world.balanceOf(recipient)).toBe(paid)
    }
  })
})
