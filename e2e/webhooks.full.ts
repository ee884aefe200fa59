import { afterAll, beforeAll, test } from 'vitest'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'
import { killWhileWebhooksWait } from './webhook-kill.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

test('1,000 webhooks wait while the service is killed, and all arrive', async () => {
  await killWhileWebhooksWait(world, 334)
}, 300_000)
