import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KillPoint } from '@florin/server/kernel/kill-point.ts'
import { openClient } from './client.ts'
import { aPermit2Buyer } from './permit2-buyer.ts'
import { aPurchase, PRICE, settle } from './seller.ts'
import type { SettleBody } from './seller.ts'
import { aSolanaPurchase } from './solana-purchase.ts'
import type { World } from './world.ts'
import { openWorld } from './world.ts'

/** Passed by the instance that is asked. */
const OWN_POINTS = [
  'claim.before-commit',
  'claim.after-commit',
  'broadcast.before-node',
  'broadcast.after-node',
] as const
/** Passed by the instance that follows the chain. */
const SHARED_POINTS = ['follow.before-commit', 'settle.before-commit'] as const

/** What the receiver of a purchase has before anything is bought. */
const BEFORE = { evm: 0n, permit2: 0n, solana: 500_000n } as const

/** Ends one of two instances at each point that a settlement passes, and holds the chain against what sellers were told. */
export function describeSettlementKillPoints(
  families: readonly ('evm' | 'permit2' | 'solana')[],
  own: readonly KillPoint[] = OWN_POINTS,
  shared: readonly KillPoint[] = SHARED_POINTS,
): void {
  describe.each(families)(
    'SIGKILL of one of two instances, in the path of a settlement (%s)',
    (family) => {
      let world: World
      let survivor: ReturnType<typeof openClient>
      beforeAll(async () => {
        world = await openWorld({ solana: family === 'solana' })
        const { baseUrl, apiKeys } = world.service()
        survivor = openClient(baseUrl, apiKeys.enterprise)
      })
      afterAll(() => world.stop())

      const purchase = async (): Promise<SettleBody> => {
        switch (family) {
          case 'evm':
            return aPurchase(world)
          case 'permit2':
            return (await aPermit2Buyer(world, 'cold')).pay()
          case 'solana':
            return aSolanaPurchase(world)
          default:
            return family satisfies never
        }
      }

      test.each(own)('%s: the other one finishes it', async (killPoint) => {
        const bought = await purchase()
        const doomed = await world.start({ killPoint: `${killPoint}:1` })
        await settle(world, bought).catch(() => null)
        expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })
        const reply = await survivor.post('/x402/settle', bought.body)
        expect(reply.body).toMatchObject({ success: true })
        expect(await world.balanceOf(bought.payTo, 'USDC')).toBe(BEFORE[family] + PRICE)
        await world.expectSound()
      })

      test.each(shared)('%s: paid once, and one success', async (killPoint) => {
        const bought = await purchase()
        // Whichever has the lease passes the point; that may be the one that is to die, or the other.
        const doomed = await world.start({ killPoint: `${killPoint}:1` })
        const [first, second] = await Promise.all([
          settle(world, bought).catch(() => null),
          survivor.post('/x402/settle', bought.body),
        ])
        const again = await survivor.post('/x402/settle', bought.body)
        const successes = [first, second, again].filter((reply) => reply?.body['success'] === true)
        expect(successes).toHaveLength(1)
        expect(await world.balanceOf(bought.payTo, 'USDC')).toBe(BEFORE[family] + PRICE)
        await doomed.kill()
        await world.expectSound()
      })
    },
  )
}
