import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ unsound: true })
}, 240_000)
afterAll(() => world.stop(), 240_000)
const order = (more: object = {}) => ({
  walletAddress: walletOf(world),
  recipientAddress: world.newAddress(),
  amount: 0.01,
  ...more,
})

test(
  'a token payment under way survives that its token leaves the configuration',
  { timeout: 240_000 },
  async () => {
    const body = order({ asset: 'USDC', amount: 1, waitFor: 'submitted' })
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const reply = await world.client().post('/payment/send', body)
    expect(reply.body['status']).toBe('pending')
    await world.service().stop()
    const assets = [{ symbol: 'ETH', asset: 'native', decimals: 18, takesCommitment: true }]
    await world.start({ network: { assets } })
    await world.sandbox.fault({ kind: 'resume-blocks' })
    const status = async () => {
      await world.sandbox.mine()
      return String(
        (await world.client().get(`/payment/status/${String(reply.body['paymentId'])}`)).body[
          'status'
        ],
      )
    }
    const end = await until(
      'it came to an end',
      async () => {
        const now = await status()
        return now === 'settled' || now === 'failed' ? now : false
      },
      { seconds: 60 },
    ).catch(() => 'pending')
    const landed = await world.balanceOf(body.recipientAddress, 'USDC')
    expect({ landed, end }).not.toEqual({ landed: 1_000_000n, end: 'failed' })
  },
)
