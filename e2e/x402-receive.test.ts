import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { anotherAccount, headerOf, receive, receiving } from './actors/receiver.ts'
import { aPurchase, EVM, PRICE } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

describe('POST /payment/receive', () => {
  let world: World
  let other: Client
  beforeAll(async () => {
    world = await openWorld()
    other = await anotherAccount(world)
  })
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop())

  const call = (body: Parameters<typeof receive>[1], headers = {}, signal?: AbortSignal) =>
    receive(world.client(), body, headers, signal)

  test.each([1, 2] as const)('settles what a buyer of version %i sent', async (version) => {
    const purchase = await aPurchase(world)
    const reply = await call(receiving(purchase, { paymentProof: headerOf(purchase, version) }))
    expect(reply.body).toMatchObject({
      success: true,
      verified: true,
      network: EVM,
      amount: 0.01,
      amountBaseUnits: `${PRICE}`,
      sender: purchase.payer.address,
      recipient: purchase.payTo,
      facilitator: `${world.service().baseUrl}/x402`,
      resource: null,
    })
    const response = JSON.parse(atob(String(reply.body['paymentResponse']))) as object
    expect(response).toMatchObject({
      success: true,
      transaction: reply.body['signature'],
      payer: purchase.payer.address,
      network: version === 1 ? 'base-sepolia' : EVM,
    })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })

  test('tells nothing to another account', async () => {
    const purchase = await aPurchase(world)
    await call(receiving(purchase))
    const reply = await receive(other, receiving(purchase))
    expect([reply.status, codeOf(reply)]).toEqual([409, 'DUPLICATE_SETTLEMENT'])
    expect(detailsOf(reply)).toEqual({ reason: 'duplicate_settlement' })
  })
})
