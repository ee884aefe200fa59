import { afterAll, beforeAll, describe, test } from 'vitest'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'
import { settleOneProof } from './one-proof.ts'

describe.each(['evm', 'solana'] as const)('on %s', (family) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  test('200 proofs, each asked for by 500 over four instances, are settled once each', async () => {
    await settleOneProof(world, family, { proofs: 200, callers: 500 })
  }, 2_400_000)
})
