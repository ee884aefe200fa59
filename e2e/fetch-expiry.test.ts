import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from './actors/client.ts'
import { demandV2, hand, openOddSeller } from './actors/odd-seller.ts'
import { termsOf } from './actors/terms.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const SECONDS = 3
/** Each is a second of chain time at least. */
const BLOCKS = 10
const LIMIT = { seconds: 90 }

describe('what a seller never uses is held until it cannot be used, and then free, budget and all', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  const balanceOf = async (address: string) => {
    const { body } = await world.client().get(`/wallets/${address}`)
    const balances = body['balances'] as Record<string, unknown>[]
    const usdc = balances.find(({ symbol }) => symbol === 'USDC')
    return { available: usdc?.['availableBaseUnits'], held: usdc?.['heldBaseUnits'] }
  }
  /** Time passes on the chain, faster than here, until it has come. */
  const passTime = async (family: Family, what: string, hasCome: () => Promise<boolean>) => {
    if (family === 'solana') await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
    const look = async () => {
      if (family === 'evm') await world.sandbox.mine(BLOCKS)
      return hasCome()
    }
    await until(what, look, LIMIT)
  }

  test.each(['evm', 'solana'] as const)('on %s', { timeout: 240_000 }, async (family) => {
    const { terms, payTo } = await termsOf(world, family, SECONDS)
    const created = await world.client().post('/wallets', { family })
    const walletAddress = String(created.body['address'])
    await world.sandbox.fund(walletAddress, 'USDC', '0.015')
    if (family === 'solana') await world.sandbox.fund(walletAddress, 'native', '1')
    const { network } = terms
    const rules = { limits: [{ network, asset: 'USDC', perDay: '0.01' }] }
    await world.client().put(`/wallets/${walletAddress}/policy`, rules)
    const buy = (url: string, key: string) =>
      world
        .client()
        .post(
          '/payment/fetch',
          { walletAddress, url, maxAmount: '0.01' },
          { 'idempotency-key': key },
        )
    const seller = await openOddSeller((_, answer) => demandV2(answer, [terms]))
    const other = await openOddSeller((asked, answer) =>
      asked.payment === null ? demandV2(answer, [terms]) : hand(answer, 200),
    )
    try {
      const first = await buy(seller.url, `never-${family}`)
      expect(first.body).toMatchObject({ paid: 'unknown', response: { status: 402 } })
      expect(await balanceOf(walletAddress)).toEqual({ available: '5000', held: '10000' })
      expect(codeOf(await buy(other.url, `other-${family}`))).toBe('POLICY_REFUSED')
      const path = `/payment/status/${String(first.body['paymentId'])}`
      await passTime(
        family,
        'the payment is expired',
        async () => (await world.client().get(path)).body['status'] === 'expired',
      )
      expect(await balanceOf(walletAddress)).toEqual({ available: '15000', held: '0' })
      const again = await buy(seller.url, `never-${family}`)
      expect(again.body).toMatchObject({ paid: false, paymentId: first.body['paymentId'] })
      expect(seller.paid()).toHaveLength(1)
      const next = await buy(other.url, `other-${family}`)
      expect(next.body).toMatchObject({ response: { status: 200 } })
      await passTime(
        family,
        'that one is expired as well',
        async () => (await balanceOf(walletAddress)).held === '0',
      )
      expect(await world.balanceOf(payTo, 'USDC')).toBe(500_000n)
    } finally {
      await seller.stop()
      await other.stop()
    }
  })
})
