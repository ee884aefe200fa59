import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createKeyPairSignerFromBytes, getBase58Decoder } from '@solana/kit'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buyLegacy, LEGACY, openLegacyShop } from './actors/run-actor.ts'
import type { LegacyBuyerSettings } from './actors/run-actor.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const PAIRS = [
  ['fetch', 'express'],
  ['axios', 'hono'],
  ['fetch', 'hono'],
  ['axios', 'express'],
] as const
const FAMILIES = { evm: 'base-sepolia', solana: 'solana-devnet' } as const
/** At once. A Solana client of version 1 makes the same bytes again within one blockhash: that is one payment, not two. */
const PURCHASES = { evm: 3, solana: 1 } as const

/** Half a gigabyte that nobody needs to try Florin: `npm ci --prefix e2e/legacy` makes these tests run. */
const isInstalled = existsSync(`${LEGACY}node_modules/x402-fetch`)

describe.skipIf(!isInstalled)('stock clients of x402 version 1 pay stock sellers', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  test.each(
    (['evm', 'solana'] as const).flatMap((family) =>
      PAIRS.map(([client, framework]) => [family, client, framework] as const),
    ),
  )('on %s: %s pays %s', async (family, client, framework) => {
    const network = FAMILIES[family]
    const { payer, key } = family === 'evm' ? newEvmKey() : await newSolanaKey()
    await world.sandbox.fund(payer, 'USDC', '1')
    const payTo = world.newAddress(family)
    await world.sandbox.fund(payTo, 'USDC', '0.5')
    const { baseUrl, apiKeys } = world.service()
    const shop = await openLegacyShop({
      facilitatorUrl: `${baseUrl}/x402`,
      apiKey: apiKeys.enterprise,
      framework,
      network,
      payTo,
      price: '$0.01',
    })
    const buyer: LegacyBuyerSettings = {
      url: shop.url,
      client,
      network,
      key,
      times: PURCHASES[family],
      ...(family === 'evm' ? {} : { solanaRpcUrl: world.sandbox.solana.rpcUrl }),
    }
    try {
      const bought = await buyLegacy(buyer)
      const hashes = bought.map(({ status, body, paymentResponse }) => {
        expect({ status, body }).toEqual({ status: 200, body: { goods: true } })
        const text = Buffer.from(paymentResponse ?? '', 'base64').toString()
        const answer = JSON.parse(text) as { transaction: string }
        expect(answer).toMatchObject({ success: true, network, payer })
        return answer.transaction
      })
      expect(new Set(hashes).size).toBe(PURCHASES[family])
      const paid = 10_000n * BigInt(PURCHASES[family])
      expect(await world.balanceOf(payTo, 'USDC')).toBe(500_000n + paid)
      expect(await world.balanceOf(payer, 'USDC')).toBe(1_000_000n - paid)
    } finally {
      await shop.stop()
    }
  })
})

function newEvmKey(): { payer: string; key: string } {
  const key = `0x${randomBytes(32).toString('hex')}` as const
  return { payer: privateKeyToAccount(key).address, key }
}

async function newSolanaKey(): Promise<{ payer: string; key: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const bytes = Buffer.concat([seed, spki.subarray(-32)])
  const { address } = await createKeyPairSignerFromBytes(bytes)
  return { payer: address, key: getBase58Decoder().decode(bytes) }
}
