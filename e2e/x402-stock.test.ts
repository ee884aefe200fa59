import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import { getAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buy, openShop } from './actors/run-actor.ts'
import type { Shop } from './actors/run-actor.ts'
import type { ShopSettings } from './actors/shop.ts'
import type { Bought } from './actors/buyer.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const EVM = 'eip155:84532'
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'

interface PaymentResponse {
  readonly transaction: string
}

/** The answer that the seller hands on to the buyer. */
function responseOf({ paymentResponse }: Bought, expected: object): PaymentResponse {
  const answer: unknown = JSON.parse(Buffer.from(paymentResponse ?? '', 'base64').toString())
  expect(answer).toMatchObject({ success: true, ...expected })
  return answer as PaymentResponse
}

describe('stock clients of x402 version 2 pay a stock seller', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  async function shopFor(payTo: string, network: ShopSettings['network'] = EVM): Promise<Shop> {
    const { baseUrl, apiKeys } = world.service()
    return openShop({
      facilitatorUrl: `${baseUrl}/x402`,
      apiKey: apiKeys.enterprise,
      network,
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
      const hashes = bought.map((one) => responseOf(one, { network: EVM, payer }).transaction)
      expect(new Set(hashes).size).toBe(3)
      expect(await world.balanceOf(payTo, 'USDC')).toBe(30_000n)
      expect(await world.balanceOf(payer, 'USDC')).toBe(970_000n)
    } finally {
      await shop.stop()
    }
  })

  test('on Solana: each purchase moves the money exactly once, and the answer equals the chain', async () => {
    const { payer, solanaKey } = await newSolanaKey()
    await world.sandbox.fund(payer, 'USDC', '1')
    const payTo = world.newAddress('solana')
    await world.sandbox.fund(payTo, 'USDC', '0.5')
    const shop = await shopFor(payTo, SOLANA)
    try {
      const { rpcUrl } = world.sandbox.solana
      const bought = await buy({ url: shop.url, solanaKey, solanaRpcUrl: rpcUrl, times: 3 })
      expect(bought.map(({ status }) => status)).toEqual([200, 200, 200])
      const hashes = bought.map((one) => responseOf(one, { network: SOLANA, payer }).transaction)
      expect(new Set(hashes).size).toBe(3)
      expect(await world.balanceOf(payTo, 'USDC')).toBe(530_000n)
      expect(await world.balanceOf(payer, 'USDC')).toBe(970_000n)
    } finally {
      await shop.stop()
    }
  })
})

/** A wallet outside of the service: its address, and seed and public key in hex. */
async function newSolanaKey(): Promise<{ payer: string; solanaKey: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const bytes = Buffer.concat([
    seed,
    publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  ])
  const { address } = await createKeyPairSignerFromBytes(bytes)
  return { payer: address, solanaKey: bytes.toString('hex') }
}
