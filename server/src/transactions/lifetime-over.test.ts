import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Chain, Doomed } from '../chains/chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openScene } from './test-scene.ts'
import type { Scene } from './test-scene.ts'
import { watchBuilds } from './watch-builds.ts'

let database: TestDatabase
let scene: Scene
beforeEach(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store, 'solana')
})
afterEach(async () => {
  await scene.expectSound()
  await database.close()
})

test('a build is not called over while one node would still take it, whatever was told when it was built', async () => {
  const said: { deadFrom: bigint | undefined } = { deadFrom: undefined }
  const asked: Doomed[] = []
  const chain: Chain = {
    ...scene.chain,
    renewal: {
      kind: 'lifetime',
      lifetimeOf: () => 0n,
      lookBack: async (hashes) => hashes.map(() => []),
      finalHeights: async () => [151n, 152n].map((lifetime) => ({ lifetime, height: 103n })),
      deadFrom: async (each) => {
        asked.push(...each)
        return each.map(() => said.deadFrom)
      },
    },
  }
  const built = await scene.build()
  await scene.mine('a', 101, 3)
  const look = async () => {
    scene.later(61_000)
    await watchBuilds(scene.deps, chain)
  }
  for (let looks = 0; looks < 3; looks += 1) await look()
  await scene.finalize(103)
  expect(await scene.record(built)).toMatchObject({ status: 'pending' })
  expect(asked[0]).toMatchObject({
    raw: Buffer.from(built.build.transaction),
    sinceHeight: 103n,
  })
  // The word of a node about a block of the far future would be waited for without an end.
  said.deadFrom = 10n ** 12n
  await look()
  // What every node says counts up to where it says it, if that is above what was told.
  said.deadFrom = 105n
  await look()
  await scene.mine('a', 104, 1)
  await scene.finalize(104)
  expect(await scene.record(built)).toMatchObject({ status: 'pending' })
  await scene.mine('a', 105, 1)
  await scene.finalize(105)
  expect(await scene.record(built)).toMatchObject({ status: 'expired', remark: 'lifetime_over' })
})
