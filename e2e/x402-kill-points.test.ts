import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aPurchase, PRICE, settle } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

describe('SIGKILL in the path of a settlement', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
    await world.service().stop()
  })
  afterAll(() => world.stop())

  test.each(['claim.before-commit', 'claim.after-commit', 'broadcast.after-node'] as const)(
    'a kill at %s loses nothing and pays once',
    async (killPoint) => {
      const purchase = await aPurchase(world)
      const doomed = await world.start({ killPoint: `${killPoint}:1` })
      await settle(world, purchase).catch(() => null)
      expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })
      const survivor = await world.start()
      const reply = await settle(world, purchase)
      expect(reply.body).toMatchObject({ success: true })
      expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
      await world.expectSound()
      await survivor.stop()
    },
  )
})
