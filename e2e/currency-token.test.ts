import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Florin } from '@florin/sdk'
import { nativeUnitsPerUnit } from '@florin/server/kernel/currency-tokens.ts'
import { until } from '@florin/server/kernel/until.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runFlorin } from './actors/florin.ts'
import { openPaidShop } from './actors/paid-shop.ts'
import { EVM } from './actors/seller.ts'
import { build, evmCustodian, transactionOf } from './actors/self-custodian.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const WHOLE = 10n ** 18n
const UNIT = nativeUnitsPerUnit(6)
const SOON = { seconds: 60 }
const NOWHERE = join(tmpdir(), 'florin-is-not-here')

/** A chain whose USDC moves its native balances, and logs both, as Arc's does: a real node with a precompile for it. */
describe('where USDC is the native currency under another name', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ currencyToken: true })
  }, 240_000)
  // With a last look of the doctor.
  afterAll(() => world.stop(), 240_000)

  const settled = (paymentId: unknown) =>
    until(
      'the payment is settled',
      async () => {
        const { body } = await world.client().get(`/payment/status/${String(paymentId)}`)
        return body['status'] === 'settled' && body
      },
      SOON,
    )
  const send = async (walletAddress: string, asset: string, amount: number | string) => {
    const recipientAddress = world.newAddress()
    const order = { walletAddress, recipientAddress, amount, asset }
    const { body } = await world.client().post('/payment/send', order)
    expect(body).toMatchObject({ success: true })
    await settled(body['paymentId'])
    return recipientAddress
  }
  /** What the service says of the wallet's balances. */
  const told = async (address: string) => {
    const { body } = await world.client().get(`/wallets/${address}`)
    return body['balances']
  }
  const receivedOf = (hash: string) =>
    until(
      'what came in is recorded and final',
      async () => {
        const rows = await world.database.store.query<{ asset: string; amount: string }>(
          'test_received',
          `select asset, amount from payments
           where transaction_hash = $1 and type = 'received' and status = 'settled'`,
          [hash],
        )
        return rows.length > 0 && rows
      },
      SOON,
    )

  test('a wallet pays by either name, and one balance says what is left', async () => {
    const wallet = walletOf(world, 0)
    expect(await world.balanceOf(wallet)).toBe(550n * WHOLE)
    const byCoin = await send(wallet, 'native', '1.5')
    const byToken = await send(wallet, 'USDC', '2.25')
    expect(await world.balanceOf(byCoin)).toBe((3n * WHOLE) / 2n)
    expect(await world.balanceOf(byToken)).toBe(2_250_000n * UNIT)
    const left = await world.balanceOf(wallet)
    expect(left).toBeLessThan(550n * WHOLE - (15n * WHOLE) / 4n)
    expect(await told(wallet)).toMatchObject([
      {
        asset: 'native',
        amountBaseUnits: `${left}`,
        availableBaseUnits: `${left}`,
        alsoAs: [{ asset: world.sandbox.usdc, availableBaseUnits: `${left / UNIT}` }],
      },
    ])
    const { body } = await world.client().get(`/portfolio/${wallet}?network=${EVM}`)
    expect(body).toMatchObject({ nativeBalanceBaseUnits: `${left}`, tokens: [] })
    await world.expectSound()
  })

  test('what comes in by either name is one record, and pays by the other', async () => {
    const made = await world.client().post('/wallets', { family: 'evm' })
    const wallet = String(made.body['address'])
    const byToken = await world.sandbox.fund(wallet, 'USDC', '3')
    const byCoin = await world.sandbox.fund(wallet, 'native', '4')
    expect(await receivedOf(byToken)).toEqual([{ asset: world.sandbox.usdc, amount: '3000000' }])
    expect(await receivedOf(byCoin)).toEqual([{ asset: 'native', amount: `${4n * WHOLE}` }])
    await send(wallet, 'USDC', '3.5')
    await world.sandbox.fund(wallet, 'USDC', '0.5')
    await send(wallet, 'native', '3.9')
    await world.expectSound()
    // More than there is, whichever name it goes by: it has less than 0.1, and the fee comes out of that.
    const recipientAddress = world.newAddress()
    const left = Number((await world.balanceOf(wallet)) / UNIT) / 1e6
    expect(left).toBeGreaterThan(0.09)
    for (const asset of ['native', 'USDC']) {
      const order = { walletAddress: wallet, recipientAddress, asset, amount: left }
      const { status, body } = await world.client().post('/payment/send', order)
      expect(status).toBe(400)
      expect(body['error']).toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
    }
  })

  test('a wallet buys by x402, and the seller is paid through the facilitator', async () => {
    const { baseUrl, apiKeys } = world.service()
    const florin = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
    const payTo = walletOf(world, 1)
    const before = await world.balanceOf(payTo)
    const shop = await openPaidShop('express', florin, {
      ...{ amount: '0.25', asset: 'USDC', network: EVM, payTo },
    })
    try {
      const order = { walletAddress: walletOf(world, 0), url: shop.url, maxAmount: '0.5' }
      const { body } = await world.client().post('/payment/fetch', order)
      expect(body).toMatchObject({ response: { status: 200, body: '{"goods":true}' } })
      const { signature } = await settled(body['paymentId'])
      expect(await world.balanceOf(payTo)).toBe(before + 250_000n * UNIT)
      // Two logs tell of it, and two records here: whose wallet paid, and what its seller was paid.
      expect(await receivedOf(String(signature))).toEqual([
        { asset: world.sandbox.usdc, amount: '250000' },
      ])
    } finally {
      await shop.stop()
    }
    await send(walletOf(world, 0), 'native', '0.5')
    await world.expectSound()
  })

  test('florin pay pays by either name', async () => {
    const { baseUrl, apiKeys } = world.service()
    const environment = { FLORIN_BASE_URL: baseUrl, FLORIN_API_KEY: apiKeys.enterprise }
    for (const name of [[], ['--asset', 'USDC']]) {
      const words = ['pay', world.newAddress(), '0.75', ...name, '--wait', 'settled', '--json']
      const paid = await runFlorin(words, NOWHERE, environment)
      expect(JSON.parse(paid.stdout)).toMatchObject({ status: 'settled', amount: '0.75' })
    }
    await world.expectSound()
  })

  test('what is built for a wallet of its own says once what moves, and is followed', async () => {
    const holder = await evmCustodian(world.sandbox)
    const recipient = world.newAddress()
    const client = world.client()
    const built = await build(client, holder, recipient, { asset: 'USDC', amount: 1 })
    const transaction = transactionOf(built)
    const walletAddress = holder.address
    const { body } = await client.post('/transaction/simulate', { transaction, walletAddress })
    expect(body).toMatchObject({
      succeeds: true,
      changes: [
        { address: walletAddress, asset: 'native', deltaBaseUnits: `-${WHOLE}` },
        { address: recipient, asset: 'native', deltaBaseUnits: `${WHOLE}` },
      ],
    })
    await holder.broadcast(await holder.sign(transaction))
    await settled(built.body['paymentId'])
    expect(await world.balanceOf(recipient)).toBe(WHOLE)
    const all = await world.balanceOf(walletAddress)
    const amount = `${all / WHOLE}`
    const order = { walletAddress, recipientAddress: recipient, asset: 'USDC', amount: '110' }
    expect(Number(amount)).toBe(108)
    const refused = await client.post('/transaction/send', order)
    expect(refused.body['error']).toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
  })
})
