import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from './actors/client.ts'
import { openClient } from './actors/client.ts'
import type { ServiceHandle } from './actors/service.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

/** What is answered late may be final by then. */
const isIn = (status: unknown) => status === 'confirmed' || status === 'settled'

describe('two instances on one database', () => {
  let world: World
  let services: readonly ServiceHandle[]
  let clients: readonly Client[]
  beforeAll(async () => {
    world = await openWorld()
    services = [world.service(), await world.start()]
    clients = services.map(({ baseUrl, apiKeys }) => openClient(baseUrl, apiKeys.enterprise))
  })
  afterAll(() => world.stop())

  const clientOf = (index: number): Client => {
    const client = clients[index]
    if (client === undefined) throw new Error('there is no such instance')
    return client
  }
  const order = (recipientAddress: string) => ({
    walletAddress: walletOf(world),
    recipientAddress,
    amount: '0.001',
    timeout: 30,
  })

  test('share one lane without a gap and one idempotency key without a second payment', async () => {
    const recipient = world.newAddress()
    const replies = await Promise.all(
      Array.from({ length: 80 }, (_, index) =>
        clientOf(index % 2).post('/payment/send', order(recipient), {
          'idempotency-key': `pair-${Math.floor(index / 4)}`,
        }),
      ),
    )
    expect(replies.filter(({ body }) => !isIn(body['status']))).toEqual([])
    expect(new Set(replies.map((reply) => reply.body['paymentId'])).size).toBe(20)
    expect(await world.balanceOf(recipient)).toBe(20_000_000_000_000_000n)
  })

  test('when one is killed amid sends, the other finishes what it had stored', async () => {
    const recipient = world.newAddress()
    const keys = Array.from({ length: 40 }, (_, index) => `orphan-${index}`)
    const first = Promise.allSettled(
      keys.map((key) =>
        clientOf(0).post('/payment/send', order(recipient), { 'idempotency-key': key }),
      ),
    )
    await services[0]?.kill()
    await first
    const replies = await Promise.all(
      keys.map((key) =>
        clientOf(1).post('/payment/send', order(recipient), { 'idempotency-key': key }),
      ),
    )
    expect(replies.filter(({ body }) => !isIn(body['status']))).toEqual([])
    await world.expectSound()
    expect(await world.balanceOf(recipient)).toBe(40_000_000_000_000_000n)
  })
})
