import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Reply } from './actors/client.ts'
import { openWorld, walletOf } from './actors/world.ts'
import type { World } from './actors/world.ts'

const ENDS = { seconds: 90 }

let world: World
beforeAll(async () => {
  world = await openWorld({ solana: true })
}, 120_000)
afterAll(() => world.stop(), 120_000)

/** The trade once it is in one of the statuses. */
const reaches = (reply: Reply, statuses: readonly string[]) =>
  until(
    `the trade is ${statuses.join(' or ')}`,
    async () => {
      const { body } = await world.client().get(`/trade/${String(reply.body['tradeId'])}`)
      return statuses.includes(String(body['status'])) && body
    },
    ENDS,
  )

/** A trade that came to nothing ended when its payment did. */
const expectEndOfPayment = async ({ paymentId, endedAt }: Reply['body']) => {
  const { body } = await world.client().get(`/payment/status/${String(paymentId)}`)
  expect(body['endedAt']).toBeGreaterThan(0)
  expect(endedAt).toBe(body['endedAt'])
}

test('a price that moves before the block respects the minimum: tokens or money, never less', async () => {
  const [wallet, mover] = [walletOf(world, 0), walletOf(world, 1)]
  const mint = world.sandbox.usdc
  const before = await world.balanceOf(wallet)
  const held = await world.balanceOf(wallet, 'USDC')
  const buy = (publicKey: string, more: object) =>
    world.client().post('/trade/buy', { publicKey, mint, waitFor: 'submitted', ...more })
  await world.sandbox.fault({ kind: 'stop-blocks' })
  const small = await buy(wallet, { amount: '0.5', slippage: 0.1 })
  // What offers more stands in front, and takes the price with it.
  const large = await buy(mover, { amount: 40, slippage: 50, priorityFee: 0.01 })
  expect([small.body['status'], large.body['status']]).toEqual(['pending', 'pending'])
  await world.sandbox.clearFaults()

  const moved = await reaches(large, ['settled', 'failed'])
  expect(moved['status']).toBe('settled')
  const record = await reaches(small, ['settled', 'failed'])
  expect(record).toMatchObject({ status: 'failed', failure: { reason: 'transaction_reverted' } })
  expect(record).toMatchObject({ tokensReceived: null, effectivePrice: null })
  await expectEndOfPayment(record)
  expect(await world.balanceOf(wallet, 'USDC')).toBe(held)
  const lost = before - (await world.balanceOf(wallet))
  expect(lost).toBeGreaterThan(0n)
  expect(lost).toBeLessThan(10n ** 16n)
  await world.expectSound()
})

test('a swap that missed its blockhash is expired, and nothing moved', async () => {
  const wallet = walletOf(world, 0, 'solana')
  const mint = world.sandbox.solana.usdc
  const before = await world.balanceOf(wallet)
  await world.sandbox.fault({ chain: 'solana', kind: 'drop' })
  const order = { publicKey: wallet, mint, amount: '0.5', waitFor: 'submitted' }
  const key = { 'idempotency-key': 'missed' }
  const bought = await world.client().post('/trade/buy', order, key)
  expect(bought.body).toMatchObject({ success: true, status: 'pending' })
  await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
  const record = await reaches(bought, ['expired', 'settled', 'failed'])
  expect(record).toMatchObject({ status: 'expired', tokensReceived: null })
  await expectEndOfPayment(record)
  expect(await world.balanceOf(wallet)).toBe(before)
  await world.sandbox.clearFaults()
  // The same request is told how it ended.
  const again = await world.client().post('/trade/buy', order, key)
  expect(again.body).toMatchObject({ tradeId: record['tradeId'], status: 'expired' })
  await world.expectSound()
})
