import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from './actors/client.ts'
import { aPurchase, PRICE, settle } from './actors/seller.ts'
import type { SettleBody } from './actors/seller.ts'
import { aSolanaPurchase } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

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
const BEFORE = { evm: 0n, solana: 500_000n } as const

describe.each(['evm', 'solana'] as const)(
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

    const purchase = (): Promise<SettleBody> =>
      family === 'evm' ? aPurchase(world) : aSolanaPurchase(world)

    test.each(OWN_POINTS)('%s: the other one finishes it', async (killPoint) => {
      const bought = await purchase()
      const doomed = await world.start({ killPoint: `${killPoint}:1` })
      await settle(world, bought).catch(() => null)
      expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })
      const reply = await survivor.post('/x402/settle', bought.body)
      expect(reply.body).toMatchObject({ success: true })
      expect(await world.balanceOf(bought.payTo, 'USDC')).toBe(BEFORE[family] + PRICE)
      await world.expectSound()
    })

    test.each(SHARED_POINTS)('%s: paid once, and one success', async (killPoint) => {
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
