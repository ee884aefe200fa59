import { afterAll, beforeAll, describe, test } from 'vitest'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'
import { thinkAgainOnEvm, thinkAgainOnSolana } from './second-thoughts.ts'

describe('a payer who takes the money back after a verify that was good', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  test('is never granted anything on EVM, and is refused in words, in 200 ways', async () => {
    const seed = Date.now() % 2 ** 32
    console.info(`second thoughts: seed ${seed}`)
    await thinkAgainOnEvm(world, 20, seed)
  })

  test('is granted one of two on Solana, 40 times', async () => {
    const seed = Date.now() % 2 ** 32
    console.info(`second thoughts: seed ${seed}`)
    await thinkAgainOnSolana(world, 40, seed)
  })
})
