import { afterAll, beforeAll, expect, test } from 'vitest'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'
import { write } from '@florin/server/store/test-write.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ unsound: true })
}, 240_000)
afterAll(() => world.stop(), 240_000)

test(
  'a send answers near its timeout while nobody follows the chain',
  { timeout: 240_000 },
  async () => {
    const { store } = world.database
    await write(
      store,
      'test_lease',
      `update followers set lease_owner = 'hung', fence = fence + 1, lease_until = now() + interval '60 seconds'`,
    )
    await world.sandbox.fund(walletOf(world), 'native', '10')
    const before = performance.now()
    const reply = await world.client().post('/payment/send', {
      walletAddress: walletOf(world),
      recipientAddress: world.newAddress(),
      amount: 55,
      timeout: 1,
    })
    expect(reply.status).toBe(503)
    expect(performance.now() - before).toBeLessThan(10_000)
  },
)
