import type { KillPoint } from '@florin/server/kernel/kill-point.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demandV2, hand, openOddSeller, takeMoney } from './odd-seller.ts'
import { termsOf } from './terms.ts'
import type { World } from './world.ts'
import { openWorld, walletOf } from './world.ts'

const LIMIT = { timeout: 240_000 }

/** Where it ends, and on which chain. */
export type FetchKill = readonly [KillPoint, Family]

/** Ends the service there, and holds what a repeat finds against chain and seller. */
export function describeFetchKills(cases: readonly FetchKill[]): void {
  describe('SIGKILL while a seller is paid', () => {
    let world: World
    beforeAll(async () => {
      world = await openWorld({ solana: true })
    }, 120_000)
    afterAll(() => world.stop(), 120_000)

    test.each(cases)('%s on %s: nothing lost, nothing twice', LIMIT, async (point, family) => {
      const { terms, payTo } = await termsOf(world, family)
      const seller = await openOddSeller(async (asked, answer) => {
        if (asked.payment === null) return demandV2(answer, [terms])
        const isPaid = await takeMoney(world, asked, terms).catch(() => false)
        hand(answer, isPaid ? 200 : 503)
      })
      try {
        await world.service().stop()
        const doomed = await world.start({ killPoint: `${point}:1` })
        const order = {
          walletAddress: walletOf(world, 0, family),
          url: seller.url,
          maxAmount: '0.01',
        }
        const key = { 'idempotency-key': `${point}-${family}` }
        const buy = () => world.client().post('/payment/fetch', order, key)
        expect(await buy().catch(() => null)).toBeNull()
        expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })

        await world.start()
        if (point === 'fetch.after-seller') {
          // The chain says it before anybody asks again.
          await world.expectSound()
          expect(await world.balanceOf(payTo, 'USDC')).toBe(510_000n)
        } else {
          expect(seller.paid()).toEqual([])
          const again = await buy()
          expect(again).toMatchObject({ status: 200, body: { response: { status: 200 } } })
          const replayed = again.headers.get('idempotent-replayed') === 'true'
          expect(replayed).toBe(point === 'fetch.after-commit')
        }
        await until(
          'the payment is final',
          async () => (await world.balanceOf(payTo, 'USDC')) === 510_000n,
          { seconds: 90 },
        )
        const shown = new Set(seller.paid().map(({ payment }) => JSON.stringify(payment)))
        expect(shown.size).toBe(1)
        await world.expectSound()
      } finally {
        await seller.stop()
      }
    })
  })
}
