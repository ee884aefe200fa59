import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TokenTransfer } from '../chains/chain.ts'
import { TOKEN } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradingScene } from './test-trading.ts'
import type { TradingScene } from './test-trading.ts'
import { moved, ROUTER, scriptedVenue } from './test-venue.ts'
import type { Trade } from './trade.ts'
import { recordFields } from './view.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A buy that was sent, on a network of its own. */
async function buyOn(chainId: number) {
  const balances = () => ({
    ...{ native: 10_000n, asset: 10_000n, height: 100n },
    blockHash: '0-100',
  })
  const scene = await openTradingScene(database.store, chainId, () => [
    scriptedVenue({ rate: 3n, balances }),
  ])
  const { trade } = await scene.trade()
  const [hash] = scene.sent
  if (hash === undefined) throw new Error('nothing was sent')
  const transfers = [moved(TOKEN, ROUTER, scene.wallet.address, 2_900n, 0)]
  return { scene, trade, hash, transfers }
}

const usedIn = async (scene: TradingScene, trade: Trade) => {
  const standing = await scene.standing(trade)
  return recordFields(standing.trade, standing.state).priorityFeeUsed?.text ?? null
}

test('the priority fee of a trade is what its block took, unknown before and again after a reorganisation', async () => {
  const { scene, trade, hash, transfers } = await buyOn(5_900_301)
  expect(await usedIn(scene, trade)).toBeNull()
  await scene.mine([{ hash, transfers, priorityFee: 3n }])
  expect(await usedIn(scene, trade)).toBe('0.000000000000000003')
  await scene.mine([], scene.tip().height)
  expect(await usedIn(scene, trade)).toBeNull()
  await scene.mine([{ hash, transfers, priorityFee: 0n }])
  expect(await usedIn(scene, trade)).toBe('0')
  await scene.finalize()
  expect(await usedIn(scene, trade)).toBe('0')
})

test.each<[string, readonly TokenTransfer[], bigint | undefined, string | null]>([
  ['is told of a trade of which nobody can read what it brought', [], 3n, '0.000000000000000003'],
  ['is unknown where the chain does not tell it', [], undefined, null],
])('the priority fee %s', async (_, transfers, priorityFee, used) => {
  const { scene, trade, hash } = await buyOn(priorityFee === undefined ? 5_900_302 : 5_900_303)
  await scene.mine([{ hash, transfers, ...(priorityFee === undefined ? {} : { priorityFee }) }])
  expect(await usedIn(scene, trade)).toBe(used)
})
