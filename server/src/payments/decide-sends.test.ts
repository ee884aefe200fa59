import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { limits } from '../kernel/limits.ts'
import { openTestLane, testNetwork } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

const FUNDS = 100n
/** Further back than a shortage may be believed. */
const LAG_BLOCKS =
  (limits.shortageBehindSecondsMax * 1000) / testNetwork(1).blockTimeMilliseconds + 1

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('a shortage that a lagging node shows is not the payer’s fault, and one of now is', async () => {
  const model = openModelChain([{ asset: 'native', amount: FUNDS }])
  const lane = await openTestLane(database.store, model, 71_001)
  const before = model.tip()
  const calm = { take: 0, feePercent: 0, reverts: false }
  for (let block = 0; block < LAG_BLOCKS; block += 1) {
    const deposits = block === 0 ? [{ asset: 'native', amount: FUNDS }] : []
    model.mine({ deposits, ...calm })
    await lane.follow(1)
  }
  const order = { asset: 'native', amount: FUNDS + 1n, feeCeiling: 1n }
  const lagging = await lane.send([lane.prepare({ ...order, at: before })])
  expect(lagging).toMatchObject([{ kind: 'stale' }])
  const now = model.tip()
  const fine = await lane.send([lane.prepare({ ...order, at: now })])
  expect(fine).toMatchObject([{ kind: 'committed' }])
  const poor = await lane.send([lane.prepare({ ...order, amount: 2n * FUNDS, at: now })])
  expect(poor).toMatchObject([{ kind: 'short' }])
})
