import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ASSOCIATED_TOKEN_PROGRAM } from '@florin/server/chains/solana/programs.ts'
import { knownAddress } from '@florin/server/chains/solana/account.ts'
import { limit, messageOf, price, sealed } from '@florin/server/chains/solana/test-payment.ts'
import { paidBy, testSmartWallet } from '@florin/server/chains/solana/test-smart-wallet.ts'
import { until } from '@florin/server/kernel/until.ts'
import { createSolanaRpc } from '@solana/kit'
import { PRICE } from './actors/seller.ts'
import { SOLANA } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const SEND = ['sendTransaction']

describe('a smart wallet on Solana', () => {
  let world: World
  beforeAll(async () => {
    // What stands in for a wallet's program: it moves an inner account's tokens by a call of its own.
    const solanaNetwork = { smartWalletPrograms: [ASSOCIATED_TOKEN_PROGRAM] }
    world = await openWorld({ solana: true, solanaNetwork })
  })
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop())

  /** A wallet with the price in it, and what it signed for the seller that it pays. */
  async function aSmartPurchase() {
    const wallet = testSmartWallet()
    const payTo = wallet.owner.address
    await world.sandbox.fund(payTo, 'USDC', '0.5')
    await world.sandbox.fund(wallet.address, 'USDC', '0.01')
    const feePayer = world.service().settlers.find(({ family }) => family === 'solana')?.address
    const requirements = {
      scheme: 'exact',
      network: SOLANA,
      asset: world.sandbox.solana.usdc,
      amount: `${PRICE}`,
      payTo,
      maxTimeoutSeconds: 60,
      extra: { feePayer },
    }
    const rpc = createSolanaRpc(world.sandbox.solana.rpcUrl)
    const { value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
    const steps = [limit(60_000), price(1n), paidBy(wallet)]
    const message = messageOf(knownAddress(feePayer ?? ''), steps, {
      blockhash: knownAddress(value.blockhash),
    })
    const transaction = Buffer.from(sealed(message, [wallet.owner])).toString('base64')
    const body = {
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: requirements, payload: { transaction } },
      paymentRequirements: requirements,
    }
    return { wallet, payTo, body }
  }

  const records = (payTo: string) =>
    world.database.store.query<{ status: string; sender: string; log_index: number | null }>(
      'test_smart_records',
      `select status, sender, log_index from payments where recipient = $1`,
      [payTo],
    )

  /** They may once a node has shown that it keeps what programs do; the very first transaction shows it. */
  async function extraOf(): Promise<Record<string, unknown>> {
    const { kinds } = (await world.client().get('/x402/supported')).body as {
      kinds: { network: string; extra?: Record<string, unknown> }[]
    }
    return kinds.find(({ network }) => network === SOLANA)?.extra ?? {}
  }

  test('is verified and settled, and its payment is the inner transfer, told once', async () => {
    const { wallet, payTo, body } = await aSmartPurchase()
    await until('smart wallets may pay', async () => (await extraOf())['features'] !== undefined, {
      seconds: 30,
    })
    expect(await extraOf()).toMatchObject({ features: { smartWalletSupported: true } })
    expect((await world.client().post('/x402/verify', body)).body).toMatchObject({
      isValid: true,
      payer: wallet.address,
    })
    const replies = await Promise.all(
      [1, 2, 3].map(() => world.client().post('/x402/settle', body)),
    )
    const good = replies.filter(({ body: said }) => said['success'] === true)
    expect(good).toHaveLength(1)
    expect(good[0]?.body).toMatchObject({ payer: wallet.address, network: SOLANA })
    expect(await world.balanceOf(payTo, 'USDC')).toBe(500_000n + PRICE)
    await until('it is settled', async () => (await records(payTo))[0]?.status === 'settled', {
      seconds: 40,
    })
    expect(await records(payTo)).toMatchObject([
      { status: 'settled', sender: wallet.address, log_index: 1_002 },
    ])
  })

  test('that pays another amount than it showed has not paid what was asked for', async () => {
    const { wallet, payTo, body } = await aSmartPurchase()
    await world.sandbox.fault({
      chain: 'solana',
      kind: 'fail',
      answer: 'http-500',
      methods: SEND,
      forward: false,
    })
    const asking = world.client().post('/x402/settle', body)
    await until('it is signed', async () => (await records(payTo)).length === 1, { seconds: 60 })
    await world.sandbox.fund(wallet.address, 'USDC', '0.000001')
    await world.sandbox.clearFaults()
    const first = await asking
    expect(first.body).toMatchObject({ success: false })
    await until('it moved', async () => (await world.balanceOf(payTo, 'USDC')) > 500_000n, {
      seconds: 40,
    })
    expect(await world.balanceOf(payTo, 'USDC')).toBe(500_001n + PRICE)
    await until(
      'it is over',
      async () => !['pending', 'confirmed'].includes((await records(payTo))[0]?.status ?? ''),
      { seconds: 60 },
    )
    expect(await records(payTo)).toMatchObject([{ status: 'expired', log_index: null }])
    const again = await world.client().post('/x402/settle', body)
    expect(again.body).toMatchObject({
      success: false,
      errorReason: 'post_settlement_transfer_not_confirmed',
      extra: { status: 'expired' },
    })
  })
})
