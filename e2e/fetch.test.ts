import { Florin } from '@florin/sdk'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRAMEWORKS, openPaidShop } from './actors/paid-shop.ts'
import type { PaidShop } from './actors/paid-shop.ts'
import { EVM } from './actors/seller.ts'
import { SOLANA } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const NETWORKS = { evm: EVM, solana: SOLANA } as const satisfies Record<Family, string>
const CASES = [
  ['evm', FRAMEWORKS[0]],
  ['solana', FRAMEWORKS[1]],
  ['evm', FRAMEWORKS[2]],
] as const

describe('a wallet of the service pays a seller in one call', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  async function shopOn(family: Family, framework: (typeof FRAMEWORKS)[number]) {
    const payTo = world.newAddress(family)
    await world.sandbox.fund(payTo, 'USDC', '0.5')
    const { baseUrl, apiKeys } = world.service()
    const florin = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
    const price = { amount: '0.01', asset: 'USDC', network: NETWORKS[family], payTo }
    const shop: PaidShop = await openPaidShop(framework, florin, price)
    return { shop, payTo }
  }

  test.each(CASES)(
    'on %s, behind %s: the goods come, and the chain shows the payment',
    async (family, framework) => {
      const { shop, payTo } = await shopOn(family, framework)
      const walletAddress = walletOf(world, 0, family)
      const before = await world.balanceOf(walletAddress, 'USDC')
      try {
        const { status, body } = await world
          .client()
          .post('/payment/fetch', { walletAddress, url: shop.url, maxAmount: '0.02' })
        expect({ status, body }).toMatchObject({
          status: 200,
          body: {
            amount: 0.01,
            response: { status: 200, body: '{"goods":true}', bodyEncoding: 'utf8' },
          },
        })
        expect(await world.balanceOf(payTo, 'USDC')).toBe(510_000n)
        expect(await world.balanceOf(walletAddress, 'USDC')).toBe(before - 10_000n)
        const { paymentId } = body as { paymentId: string }
        await until(
          'the payment is settled',
          async () => {
            const record = await world.client().get(`/payment/status/${paymentId}`)
            return (record.body as { status: string }).status === 'settled'
          },
          { seconds: 60 },
        )
      } finally {
        await shop.stop()
      }
    },
  )
})
