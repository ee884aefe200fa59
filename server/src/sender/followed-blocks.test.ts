import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NetworkId } from '@florin/wire/network.ts'
import { limits } from '../kernel/limits.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { followedHeightOf } from './dated-blocks-store.ts'
import {
  beginFollowing,
  rememberedBlocks,
  storeBlocks,
  storeFinality,
  takeLease,
} from './follower-store.ts'

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' as NetworkId

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test.each([
  [testNetwork(84_532).network, limits.finalBlocksKept],
  [SOLANA, limits.datedBlocksKept],
])('of %s %i blocks below the final one are remembered', async (network, kept) => {
  const final = 20_000n
  const heights = [final - BigInt(kept) - 1n, final - BigInt(kept), final]
  const hashOf = (height: bigint) => `block ${height}`
  const remembered = await database.store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, network, { height: 1n, hash: 'the first' })
    const cursor = await takeLease(tx, network, 'test', 60_000)
    if (cursor === undefined) throw new Error('no lease')
    const blocks = heights.map((height) => ({
      ...{ height, hash: hashOf(height), parentHash: '' },
      ...{ timeMilliseconds: 0, transactionHashes: [] },
    }))
    const moved = await storeFinality(tx, await storeBlocks(tx, cursor, blocks), final)
    const found: (bigint | undefined)[] = []
    for (const height of heights) found.push(await followedHeightOf(tx, network, hashOf(height)))
    return { found, reread: await rememberedBlocks(tx, moved) }
  })
  expect(remembered.found).toEqual([undefined, ...heights.slice(1)])
  // After a reorganisation each is read again: no hour of blocks is.
  const reach = final - BigInt(limits.finalBlocksKept)
  expect(remembered.reread.map(({ height }) => height)).toEqual(
    heights.filter((height) => height >= reach).toReversed(),
  )
})
