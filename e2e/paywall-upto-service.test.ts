import { Florin, setAmount } from '@florin/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPaidShop } from './actors/paid-shop.ts'
import { aPermit2Buyer } from './actors/permit2-buyer.ts'
import { buy } from './actors/run-actor.ts'
import { EVM } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const FUNDS = 1_000_000n

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

test.each([
  ['cold', 'fetch', 'express', '0.03', 30_000n],
  ['warm', 'axios', 'hono', '0.02', 20_000n],
  ['warm', 'fetch', 'fastify', '0', 0n],
  ['warm', 'axios', 'express', undefined, 100_000n],
] as const)(
  'a %s wallet with stock %s pays a visit behind %s by upto at this service: of 0.10 at most %s is taken',
  async (kind, client, framework, amount, units) => {
    const buyer = await aPermit2Buyer(world, kind)
    const payTo = world.newAddress()
    const { baseUrl, apiKeys } = world.service()
    const florin = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
    const price = { amount: '0.10', asset: 'USDC', network: EVM, payTo, scheme: 'upto' } as const
    const shop = await openPaidShop(framework, florin, price, (carrier) => {
      if (amount !== undefined) setAmount(carrier, amount)
      return { goods: true }
    })
    try {
      const evmRpcUrl = world.sandbox.rpcUrl
      const [bought] = await buy({ client, evmKey: buyer.key, evmRpcUrl, url: shop.url, times: 1 })
      expect(bought).toMatchObject({ status: 200, body: { goods: true } })
      const told: unknown = JSON.parse(atob(bought?.paymentResponse ?? ''))
      expect(told).toMatchObject({ success: true, network: EVM, amount: `${units}` })
      expect(await world.balanceOf(payTo, 'USDC')).toBe(units)
      expect(await world.balanceOf(buyer.address, 'USDC')).toBe(FUNDS - units)
    } finally {
      await shop.stop()
    }
  },
)
