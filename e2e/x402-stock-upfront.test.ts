import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodePaymentHeader } from '@florin/wire/x402/payment-header.ts'
import type { BuyerSettings } from './actors/buyer.ts'
import { buy, openShop } from './actors/run-actor.ts'
import type { Shop } from './actors/run-actor.ts'
import type { ShopSettings } from './actors/shop.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const EVM = 'eip155:84532'
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const PRICE = 10_000n

describe('a stock seller that takes the money before its handler runs', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  const shopFor = (payTo: string, settings: Pick<ShopSettings, 'network' | 'solanaRpcUrl'>) => {
    const { baseUrl, apiKeys } = world.service()
    return openShop({
      ...{ facilitatorUrl: `${baseUrl}/x402`, apiKey: apiKeys.enterprise, framework: 'express' },
      ...{ payTo, price: '$0.01', isUpfront: true, ...settings },
    })
  }

  /** What it asks for, of the one way to pay it. */
  async function askedBy({ url }: Shop): Promise<unknown> {
    const { headers } = await fetch(url)
    const accepts = decodePaymentHeader(headers.get('payment-required') ?? '')?.['accepts']
    return Array.isArray(accepts) ? accepts[0] : undefined
  }

  /** A stock buyer and a wallet of ours each get the goods, for the price once. */
  async function expectSold(
    { url }: Shop,
    payTo: string,
    walletAddress: string,
    buyer: Omit<BuyerSettings, 'url' | 'times' | 'client'>,
  ): Promise<void> {
    const before = await world.balanceOf(payTo, 'USDC')
    const [bought] = await buy({ ...buyer, client: 'fetch', url, times: 1 })
    expect(bought).toMatchObject({ status: 200, body: { goods: true } })
    const order = { walletAddress, url, maxAmount: '0.02' }
    const { body } = await world.client().post('/payment/fetch', order)
    expect(body).toMatchObject({ paid: true, response: { status: 200, body: '{"goods":true}' } })
    expect(await world.balanceOf(payTo, 'USDC')).toBe(before + 2n * PRICE)
  }

  test('sells on EVM', async () => {
    const evmKey = `0x${randomBytes(32).toString('hex')}` as const
    await world.sandbox.fund(privateKeyToAccount(evmKey).address, 'USDC', '1')
    const payTo = world.newAddress()
    const shop = await shopFor(payTo, { network: EVM })
    try {
      expect(await askedBy(shop)).toMatchObject({ extra: { paymentFlow: 'upfront' } })
      await expectSold(shop, payTo, walletOf(world, 0), { evmKey })
    } finally {
      await shop.stop()
    }
  })

  test('sells on Solana, with a blockhash of its own node in each demand', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
    const spki = publicKey.export({ format: 'der', type: 'spki' })
    const bytes = Buffer.concat([seed, spki.subarray(-32)])
    const { address } = await createKeyPairSignerFromBytes(bytes)
    await world.sandbox.fund(address, 'USDC', '1')
    const payTo = world.newAddress('solana')
    await world.sandbox.fund(payTo, 'USDC', '0.5')
    const solanaRpcUrl = world.sandbox.solana.rpcUrl
    const shop = await shopFor(payTo, { network: SOLANA, solanaRpcUrl })
    try {
      const extra = { paymentFlow: 'upfront', recentBlockhash: expect.any(String) }
      expect(await askedBy(shop)).toMatchObject({ extra })
      const buyer = { solanaKey: bytes.toString('hex'), solanaRpcUrl }
      await expectSold(shop, payTo, walletOf(world, 0, 'solana'), buyer)
    } finally {
      await shop.stop()
    }
  })
})
