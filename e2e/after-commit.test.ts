import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ unsound: true })
}, 240_000)
afterAll(() => world.stop(), 240_000)

test(
  'a database that is away for the last read after a commit hides no payment',
  { timeout: 240_000 },
  async () => {
    const { store } = world.database
    const count = async () =>
      Number(
        (
          await store.query<{ n: string }>(
            'test_count',
            `select count(*) as n from payments where type = 'sent'`,
          )
        )[0]?.n,
      )
    const sent = world.client().post('/payment/send', {
      walletAddress: walletOf(world),
      recipientAddress: world.newAddress(),
      amount: 0.01,
      waitFor: 'settled',
      timeout: 3,
    })
    await world.sandbox.fault({ kind: 'stop-blocks' })
    await until('it is committed', async () => (await count()) === 1, { seconds: 30 })
    await store.inTransaction('service', async (tx) => {
      await tx.query('test_lock', 'lock table payment_transactions in access exclusive mode')
      const reply = await sent
      const error = reply.body['error'] as { details?: { paymentId?: string } } | undefined
      // 200 with the status, or at least the payment's id: a 503 says that nothing was committed.
      expect(reply.status, JSON.stringify(reply.body)).not.toBe(503)
      expect(reply.body['paymentId'] ?? error?.details?.paymentId).toMatch(/^pay_/)
    })
  },
)
