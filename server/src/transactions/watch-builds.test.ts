import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Address } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { BuildResult } from './build-transaction.ts'
import { openScene } from './test-scene.ts'
import type { Scene } from './test-scene.ts'
import { watchBuilds } from './watch-builds.ts'

const DAY_MILLISECONDS = 24 * 3_600_000
const PAST_ITS_TIME_MILLISECONDS = limits.buildValidSeconds * 1000 + 1_000

let database: TestDatabase
let scene: Scene
beforeEach(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store)
})
afterEach(async () => {
  await scene.expectSound()
  await database.close()
})

/** Builds for wallets that nobody has built for before. */
async function buildForWallets(count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      scene.build({ sender: `0x${String(index + 1).padStart(40, '0')}` as Address }),
    ),
  )
}

/** The sender has used the places up, finally, and no block showed it. */
function usedUp({ build }: BuildResult): void {
  scene.script.finalized = (build.nonce ?? 0n) + 1n
}

async function isOver({ build }: BuildResult): Promise<boolean> {
  const [row] = await database.store.query<{ over: boolean }>(
    'test_over',
    'select dead_height is not null as over from builds where payment_id = $1',
    [build.paymentId],
  )
  return row?.over === true
}

test('who builds for any number of wallets keeps nobody else’s build from being looked at', async () => {
  const [, other] = scene.accounts
  const theirs = await scene.build({ accountId: other })
  scene.later(PAST_ITS_TIME_MILLISECONDS)
  await scene.watch()
  expect(await isOver(theirs)).toBe(false)
  await buildForWallets(limits.silentBuildsMax)
  scene.later(PAST_ITS_TIME_MILLISECONDS)
  usedUp(theirs)
  await scene.watch()
  expect(await isOver(theirs)).toBe(true)
})

test('the nodes are asked about all wallets of a look together', async () => {
  const wallets = 5
  await buildForWallets(wallets)
  scene.later(PAST_ITS_TIME_MILLISECONDS)
  let underWay = 0
  let most = 0
  const lanePosition = async (address: Address) => {
    underWay += 1
    most = Math.max(most, underWay)
    const position = await scene.chain.lanePosition(address)
    underWay -= 1
    return position
  }
  await watchBuilds(scene.deps, { ...scene.chain, lanePosition })
  expect(most).toBe(wallets)
})

test.each([
  ['looked at', 1],
  ['called dormant', limits.dormantBuildDays + 1],
])('a build that was %s before the clock was set back is looked at again', async (_, days) => {
  const built = await scene.build()
  scene.later(days * DAY_MILLISECONDS)
  await scene.watch()
  scene.later(PAST_ITS_TIME_MILLISECONDS - days * DAY_MILLISECONDS)
  usedUp(built)
  await scene.watch()
  expect(await isOver(built)).toBe(true)
})

test('a build that was made before the clock was set back is looked at', async () => {
  const built = await scene.build()
  scene.later(-DAY_MILLISECONDS)
  usedUp(built)
  await scene.watch()
  expect(await isOver(built)).toBe(true)
})

test('what is not due is not asked about, and one look waits longer than the one before', async () => {
  await scene.build()
  let asked = 0
  const lanePosition = async (address: Address) => {
    asked += 1
    return await scene.chain.lanePosition(address)
  }
  const look = async (afterSeconds: number) => {
    scene.later(afterSeconds * 1000)
    await watchBuilds(scene.deps, { ...scene.chain, lanePosition })
    return asked
  }
  expect(await look(limits.buildValidSeconds - 1)).toBe(0)
  expect(await look(1)).toBe(1)
  expect(await look(14)).toBe(1)
  expect(await look(1)).toBe(2)
  expect(await look(18)).toBe(2)
  expect(await look(1)).toBe(3)
})
