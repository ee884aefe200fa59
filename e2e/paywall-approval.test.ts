import { Florin, setAmount } from '@florin/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anApprovalBuyer, openSponsoredWorld } from './actors/approval-buyer.ts'
import type { SponsoredWorld } from './actors/approval-buyer.ts'
import { openPaidShop } from './actors/paid-shop.ts'
import { buy } from './actors/run-actor.ts'
import { EVM } from './actors/seller.ts'

let sponsored: SponsoredWorld
beforeAll(async () => {
  sponsored = await openSponsoredWorld()
})
afterAll(() => sponsored.world.stop())

test.each([
  ['exact', 'express', '0.10', 10n ** 17n],
  ['upto', 'fastify', '0.07', 7n * 10n ** 16n],
] as const)(
  'a fresh wallet with nothing but a token without permits pays %s behind %s: of 0.10 it takes %s, and it is given the gas once',
  async (scheme, framework, amount, units) => {
    const { world, token, fundings, tokensOf } = sponsored
    const { key } = await anApprovalBuyer(sponsored)
    const payTo = world.newAddress()
    const { baseUrl, apiKeys } = world.service()
    const florin = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
    const price = { amount: '0.10', asset: token.symbol, network: EVM, payTo, scheme } as const
    const before = await fundings()
    const shop = await openPaidShop(framework, florin, price, (carrier) => {
      if (scheme === 'upto') setAmount(carrier, amount)
      return { goods: true }
    })
    try {
      const evmRpcUrl = world.sandbox.rpcUrl
      const asked = { client: 'fetch', paysAnyAsset: true, evmKey: key, evmRpcUrl } as const
      const bought = await buy({ ...asked, url: shop.url, times: 2 })
      const goods = { status: 200, body: { goods: true } }
      expect(bought).toMatchObject([goods, goods])
      expect(await tokensOf(payTo)).toBe(2n * units)
      expect((await fundings()) - before).toBe(1)
    } finally {
      await shop.stop()
    }
  },
)
