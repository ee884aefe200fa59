import { randomBytes } from 'node:crypto'
import { getAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buy, openShop } from './actors/run-actor.ts'
import type { Shop } from './actors/run-actor.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

describe('stock clients of x402 version 2 pay a stock seller', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  async function shopFor(payTo: string): Promise<Shop> {
    const { baseUrl, apiKeys } = world.service()
    return openShop({
      facilitatorUrl: `${baseUrl}/x402`,
      apiKey: apiKeys.enterprise,
      network: 'eip155:84532',
      payTo,
      price: '$0.01',
    })
  }

  test('on EVM: each purchase moves the money exactly once, and the answer equals the chain', async () => {
    const evmKey = `0x${randomBytes(32).toString('hex')}` as const
    const payer = privateKeyToAccount(evmKey).address
    await world.sandbox.fund(payer, 'USDC', '1')
    const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`)
    const shop = await shopFor(payTo)
    try {
      const bought = await buy({ url: shop.url, evmKey, times: 3 })
      expect(bought.map(({ status }) => status)).toEqual([200, 200, 200])
      const hashes = bought.map(({ paymentResponse }) => {
        const answer = JSON.parse(Buffer.from(paymentResponse ?? '', 'base64').toString()) as {
          transaction: string
          payer: string
        }
        expect(answer).toMatchObject({ success: true, network: 'eip155:84532', payer })
        return answer.transaction
      })
      expect(new Set(hashes).size).toBe(3)
      expect(await world.balanceOf(payTo, 'USDC')).toBe(30_000n)
      expect(await world.balanceOf(payer, 'USDC')).toBe(970_000n)
    } finally {
      await shop.stop()
    }
  })
})
