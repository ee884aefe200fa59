import { until } from '@florin/server/kernel/until.ts'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from './actors/client.ts'
import { demandV1, demandV2, hand, openOddSeller, takeMoney } from './actors/odd-seller.ts'
import type { Saying } from './actors/odd-seller.ts'
import { openShop } from './actors/run-actor.ts'
import { EVM } from './actors/seller.ts'
import { termsOf } from './actors/terms.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const PRICE = 10_000n
const FUNDS = 25_000n
const SPONSORED = { extensions: { eip2612GasSponsoring: { info: { version: '1' }, schema: {} } } }
/** Each is a second of chain time at least. */
const BLOCKS = 10

describe('a wallet of the service that never approved Permit2 buys by it', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.stop())

  /** It holds two and a half prices, nothing to pay the network with, and may spend one price a day. */
  async function aWallet(perDay: string) {
    const created = await world.client().post('/wallets', { family: 'evm' })
    const walletAddress = String(created.body['address'])
    await world.sandbox.fund(walletAddress, 'USDC', '0.025')
    const rules = { limits: [{ network: EVM, asset: 'USDC', perDay }] }
    await world.client().put(`/wallets/${walletAddress}/policy`, rules)
    return {
      walletAddress,
      buy: (url: string) =>
        world.client().post('/payment/fetch', { walletAddress, url, maxAmount: '0.01' }),
      money: async () => {
        const { body } = await world.client().get(`/wallets/${walletAddress}`)
        const balances = body['balances'] as Record<string, unknown>[]
        const usdc = balances.find(({ symbol }) => symbol === 'USDC')
        return { available: usdc?.['availableBaseUnits'], held: usdc?.['heldBaseUnits'] }
      },
    }
  }

  async function terms(seconds: number) {
    const { terms: plain, payTo } = await termsOf(world, 'evm', seconds)
    const extra = { ...plain.extra, assetTransferMethod: 'permit2' }
    return { plain, terms: { ...plain, extra }, payTo }
  }

  const becomes = (paymentId: unknown, status: string) =>
    until(
      `the payment is ${status}`,
      async () => {
        await world.sandbox.mine(BLOCKS)
        const { body } = await world.client().get(`/payment/status/${String(paymentId)}`)
        return body['status'] === status
      },
      { seconds: 90 },
    )

  test('from a stock seller, twice, and the chain shows both payments', async () => {
    const wallet = await aWallet('1')
    const payTo = world.newAddress()
    const { baseUrl, apiKeys } = world.service()
    const shop = await openShop({
      ...{ facilitatorUrl: `${baseUrl}/x402`, apiKey: apiKeys.enterprise },
      ...{ framework: 'express', network: EVM, payTo, price: '$0.01' },
      permit2: { asset: getAddress(world.sandbox.usdc), amount: `${PRICE}` },
    })
    try {
      for (const times of [1n, 2n]) {
        const { status, body } = await wallet.buy(shop.url)
        expect({ status, body }).toMatchObject({ status: 200, body: { response: { status: 200 } } })
        expect(await world.balanceOf(payTo, 'USDC')).toBe(times * PRICE)
        await becomes(body['paymentId'], 'settled')
      }
      expect(await world.balanceOf(wallet.walletAddress, 'USDC')).toBe(FUNDS - 2n * PRICE)
      expect(await wallet.money()).toEqual({ available: '5000', held: '0' })
    } finally {
      await shop.stop()
    }
  })

  test('and what its seller never uses is held until it cannot be used, budget and all', async () => {
    const wallet = await aWallet('0.01')
    const { terms: asked, payTo } = await terms(10)
    const ask: Saying = (_, answer) => demandV2(answer, [asked], SPONSORED)
    const [seller, other] = [await openOddSeller(ask), await openOddSeller(ask)]
    try {
      const { body } = await wallet.buy(seller.url)
      expect(body).toMatchObject({ paid: 'unknown', response: { status: 402 } })
      expect(await wallet.money()).toEqual({ available: '15000', held: '10000' })
      expect(codeOf(await wallet.buy(other.url))).toBe('POLICY_REFUSED')
      await becomes(body['paymentId'], 'expired')
      expect(await wallet.money()).toEqual({ available: '25000', held: '0' })
      const [shown] = seller.paid()
      expect(shown && (await takeMoney(world, shown, asked))).toBe(false)
      expect(await world.balanceOf(payTo, 'USDC')).toBe(500_000n)
    } finally {
      await seller.stop()
      await other.stop()
    }
  })

  test('but not where nobody submits its approval, nor in version 1, and then nothing is signed', async () => {
    const wallet = await aWallet('1')
    const { terms: asked } = await terms(60)
    const { amount, ...rest } = asked
    const v1 = { ...rest, network: 'base-sepolia', maxAmountRequired: amount }
    const sayings: readonly Saying[] = [
      (_, answer) => demandV2(answer, [asked]),
      (_, answer) => demandV1(answer, [v1], SPONSORED),
    ]
    for (const saying of sayings) {
      const seller = await openOddSeller(saying)
      try {
        expect(codeOf(await wallet.buy(seller.url))).toBe('PAYMENT_VERIFICATION_FAILED')
        expect(seller.paid()).toEqual([])
        expect(await wallet.money()).toEqual({ available: '25000', held: '0' })
      } finally {
        await seller.stop()
      }
    }
  })

  test('and for the same money takes the authorization of the token itself', async () => {
    const wallet = await aWallet('1')
    const { terms: asked, plain } = await terms(60)
    const seller = await openOddSeller(async (shown, answer) => {
      if (shown.payment === null) return demandV2(answer, [asked, plain], SPONSORED)
      hand(answer, (await takeMoney(world, shown, plain)) ? 200 : 402)
    })
    try {
      expect((await wallet.buy(seller.url)).body).toMatchObject({ response: { status: 200 } })
      expect(seller.paid()[0]?.payment).toHaveProperty('payload.authorization')
    } finally {
      await seller.stop()
    }
  })
})
