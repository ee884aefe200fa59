import { until } from '@florin/server/kernel/until.ts'
import { readSamples, valueOf } from '@florin/server/metrics/test-read.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demandV2, hand, openOddSeller, takeMoney } from './actors/odd-seller.ts'
import { termsOf } from './actors/terms.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ clockAheadSeconds: -3_600, solana: true })
})
afterAll(() => world.stop())

test('a clock an hour behind the chain: the seller is paid, and what it never takes is held until the chain ends it', async () => {
  const { terms } = await termsOf(world, 'evm', 3)
  const honest = { ...terms, maxTimeoutSeconds: 60 }
  const seller = await openOddSeller(async (asked, answer) => {
    if (asked.payment === null) return demandV2(answer, [honest])
    return hand(answer, (await takeMoney(world, asked, honest)) ? 200 : 502)
  })
  const silent = await openOddSeller((_, answer) => demandV2(answer, [terms]))
  const buy = (url: string, wallet: number) =>
    world
      .client()
      .post('/payment/fetch', { walletAddress: walletOf(world, wallet), url, maxAmount: '0.01' })
  try {
    const { body } = await buy(seller.url, 0)
    expect(body).toMatchObject({ paid: true, response: { status: 200 } })
    const held = await buy(silent.url, 1)
    expect(held.body).toMatchObject({ paid: 'unknown', response: { status: 402 } })
    const path = `/payment/status/${String(held.body['paymentId'])}`
    const becomes = async () => {
      await world.sandbox.mine(1)
      return (await world.client().get(path)).body['status'] === 'expired'
    }
    await until('the chain has ended what nobody took', becomes, { seconds: 90 })
  } finally {
    await seller.stop()
    await silent.stop()
  }
})

test.each(['eip155:84532', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'])(
  'the metrics say how far the clock is behind %s',
  async (network) => {
    const ahead = async () => {
      const read = readSamples(await (await fetch(world.service().metricsUrl)).text())
      return Math.round((valueOf(read, 'florin_chain_ahead_seconds', { network }) ?? 0) / 60)
    }
    await until('a block has told it', async () => (await ahead()) === 60, { seconds: 60 })
  },
)
