import { existsSync } from 'node:fs'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createKeyPairSignerFromBytes, getBase58Decoder } from '@solana/kit'
import { Florin } from '@florin/sdk'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRAMEWORKS, openPaidShop } from './actors/paid-shop.ts'
import { buy, buyLegacy, LEGACY } from './actors/run-actor.ts'
import { EVM } from './actors/seller.ts'
import { SOLANA } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

/** Version 1 is half a gigabyte: `npm ci --prefix e2e/legacy` makes its part run. */
const VERSIONS = existsSync(`${LEGACY}node_modules/x402-fetch`) ? ([2, 1] as const) : ([2] as const)
const CLIENTS = ['fetch', 'axios'] as const
const FAMILIES = { evm: EVM, solana: SOLANA } as const
const V1_NAMES = { evm: 'base-sepolia', solana: 'solana-devnet' } as const
const FAMILY_NAMES = ['evm', 'solana'] as const

type Case = readonly [
  family: 'evm' | 'solana',
  version: 1 | 2,
  client: 'fetch' | 'axios',
  framework: (typeof FRAMEWORKS)[number],
]

/** Every client before every framework, in both versions, on both chains. */
export const ALL_CASES: readonly Case[] = FAMILY_NAMES.flatMap((family) =>
  VERSIONS.flatMap((version) =>
    FRAMEWORKS.flatMap((framework) =>
      CLIENTS.map((client) => [family, version, client, framework] as const),
    ),
  ),
)

/** Each client, framework, version and chain at least once. */
export const SOME_CASES = ALL_CASES.filter(([family, version, client, framework]) => {
  if (version === 1 && framework !== 'express') return false
  return (client === 'fetch') === ((framework === 'hono') === (family === 'evm'))
})

/** Lets each of them buy, and holds what it was told against the chain. */
export function provePaywall(cases: readonly Case[]): void {
  describe('every stock client pays a paywall, in every framework', () => {
    let world: World
    beforeAll(async () => {
      world = await openWorld({ solana: true })
    })
    afterAll(() => world.stop())

    test.each(cases)(
      'on %s, version %d: %s pays %s',
      async (family, version, client, framework) => {
        const { payer, hex, text } = family === 'evm' ? newEvmKey() : await newSolanaKey()
        const payTo = world.newAddress(family)
        await world.sandbox.fund(payer, 'USDC', '1')
        await world.sandbox.fund(payTo, 'USDC', '0.5')
        const { baseUrl, apiKeys } = world.service()
        const florin = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
        const price = { amount: '0.01', asset: 'USDC', network: FAMILIES[family], payTo }
        const shop = await openPaidShop(framework, florin, price)
        const solanaRpcUrl = world.sandbox.solana.rpcUrl
        try {
          const [bought] =
            version === 2
              ? await buy({
                  url: shop.url,
                  client,
                  times: 1,
                  ...(family === 'evm' ? { evmKey: `0x${hex}` } : { solanaKey: hex, solanaRpcUrl }),
                })
              : await buyLegacy({
                  url: shop.url,
                  client,
                  times: 1,
                  network: V1_NAMES[family],
                  key: text,
                  ...(family === 'evm' ? {} : { solanaRpcUrl }),
                })
          expect(bought).toMatchObject({ status: 200, body: { goods: true } })
          const told = Buffer.from(bought?.paymentResponse ?? '', 'base64').toString()
          const network = version === 2 ? FAMILIES[family] : V1_NAMES[family]
          expect(JSON.parse(told)).toMatchObject({ success: true, payer, network })
          expect(await world.balanceOf(payTo, 'USDC')).toBe(510_000n)
          expect(await world.balanceOf(payer, 'USDC')).toBe(990_000n)
        } finally {
          await shop.stop()
        }
      },
    )
  })
}

function newEvmKey() {
  const hex = randomBytes(32).toString('hex')
  return { payer: privateKeyToAccount(`0x${hex}`).address as string, hex, text: `0x${hex}` }
}

async function newSolanaKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const bytes = Buffer.concat([seed, spki.subarray(-32)])
  const { address } = await createKeyPairSignerFromBytes(bytes)
  return {
    payer: address as string,
    hex: bytes.toString('hex'),
    text: getBase58Decoder().decode(bytes),
  }
}
