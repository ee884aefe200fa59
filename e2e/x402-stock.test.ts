import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Bought, BuyerSettings } from './actors/buyer.ts'
import { buy, openShop } from './actors/run-actor.ts'
import type { Shop } from './actors/run-actor.ts'
import type { ShopSettings } from './actors/shop.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const EVM = 'eip155:84532'
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const PAIRS = [
  ['fetch', 'express'],
  ['axios', 'hono'],
  ['fetch', 'hono'],
  ['axios', 'express'],
] as const
const PURCHASES = 3

/** The hash in the answer that the seller hands on to the buyer. */
function transactionOf({ paymentResponse }: Bought, expected: object): string {
  const answer: unknown = JSON.parse(Buffer.from(paymentResponse ?? '', 'base64').toString())
  expect(answer).toMatchObject({ success: true, ...expected })
  return (answer as { transaction: string }).transaction
}

describe('stock clients of x402 version 2 pay stock sellers', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  const shopFor = (
    payTo: string,
    network: ShopSettings['network'],
    framework: ShopSettings['framework'],
  ): Promise<Shop> => {
    const { baseUrl, apiKeys } = world.service()
    return openShop({
      facilitatorUrl: `${baseUrl}/x402`,
      apiKey: apiKeys.enterprise,
      framework,
      network,
      payTo,
      price: '$0.01',
    })
  }

  /** Each purchase moved the money once, and what the buyer was told equals the chain. */
  async function expectPaid(
    shop: Shop,
    buyer: Omit<BuyerSettings, 'url' | 'times'>,
    { payer, payTo, network }: { payer: string; payTo: string; network: string },
  ): Promise<void> {
    const [paid, received] = await Promise.all([
      world.balanceOf(payer, 'USDC'),
      world.balanceOf(payTo, 'USDC'),
    ])
    const bought = await buy({ ...buyer, url: shop.url, times: PURCHASES })
    for (const one of bought) expect(one).toMatchObject({ status: 200, body: { goods: true } })
    const hashes = bought.map((one) => transactionOf(one, { network, payer }))
    expect(new Set(hashes).size).toBe(PURCHASES)
    expect(await world.balanceOf(payTo, 'USDC')).toBe(received + 10_000n * BigInt(PURCHASES))
    expect(await world.balanceOf(payer, 'USDC')).toBe(paid - 10_000n * BigInt(PURCHASES))
  }

  test.each(PAIRS)('on EVM: %s pays %s', async (client, framework) => {
    const evmKey = `0x${randomBytes(32).toString('hex')}` as const
    const payer = privateKeyToAccount(evmKey).address
    await world.sandbox.fund(payer, 'USDC', '1')
    const payTo = world.newAddress()
    const shop = await shopFor(payTo, EVM, framework)
    try {
      await expectPaid(shop, { client, evmKey }, { payer, payTo, network: EVM })
    } finally {
      await shop.stop()
    }
  })

  test.each(PAIRS)('on Solana: %s pays %s', async (client, framework) => {
    const { payer, solanaKey } = await newSolanaKey()
    await world.sandbox.fund(payer, 'USDC', '1')
    const payTo = world.newAddress('solana')
    await world.sandbox.fund(payTo, 'USDC', '0.5')
    const shop = await shopFor(payTo, SOLANA, framework)
    const solanaRpcUrl = world.sandbox.solana.rpcUrl
    try {
      const buyer = { client, solanaKey, solanaRpcUrl }
      await expectPaid(shop, buyer, { payer, payTo, network: SOLANA })
    } finally {
      await shop.stop()
    }
  })
})

/** A wallet outside of the service: its address, and seed and public key in hex. */
async function newSolanaKey(): Promise<{ payer: string; solanaKey: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const bytes = Buffer.concat([seed, spki.subarray(-32)])
  const { address } = await createKeyPairSignerFromBytes(bytes)
  return { payer: address, solanaKey: bytes.toString('hex') }
}
