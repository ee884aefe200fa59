import { afterAll, beforeAll, expect, test } from 'vitest'
import { anApprovalBuyer, openSponsoredWorld } from './actors/approval-buyer.ts'
import type { SponsoredWorld } from './actors/approval-buyer.ts'
import { PRICE, settle } from './actors/seller.ts'
import { slowBlocks } from './actors/slow-blocks.ts'

let scene: SponsoredWorld
beforeAll(async () => {
  scene = await openSponsoredWorld()
})
afterAll(() => scene.world.stop())

test('where a block takes fifteen seconds one call gets the money: stock sellers do not ask again for an approval', async () => {
  const { world } = scene
  const purchase = await (await anApprovalBuyer(scene)).pay()
  const atOnce = await slowBlocks(world.sandbox, 15)
  try {
    expect((await settle(world, purchase)).body).toMatchObject({ success: true })
  } finally {
    await atOnce()
  }
  expect(await scene.tokensOf(purchase.payTo)).toBe(PRICE)
})
