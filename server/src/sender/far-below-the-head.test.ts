import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Block, Chain } from '@florin/server/chains/chain.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { until } from '@florin/server/kernel/until.ts'
import { openPaymentBook } from '@florin/server/payments/advance.ts'
import { openDepositBook } from '@florin/server/payments/deposits.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { followBlocks } from './follow.ts'
import { beginFollowing, storeBlocks, takeLease } from './follower-store.ts'
import { scriptedChain } from './test-chain.ts'
import { drive } from './test-driver.ts'

/** Blocks of 200 ms on a roll-up whose final block is what Ethereum has made final: some twenty minutes. */
const FINAL = 1_000n
const HEAD = 7_000n

const config = testNetwork(84_532)

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

/** A chain whose blocks are others from a height on, and how often it was asked. */
function chainWith(othersFrom: bigint) {
  const asked: bigint[] = []
  const branchAt = (height: bigint) => (height >= othersFrom ? 'b' : 'a')
  const blockAt = (height: bigint): Block => ({
    height,
    hash: `${branchAt(height)}${height}`,
    parentHash: `${branchAt(height - 1n)}${height - 1n}`,
    timeMilliseconds: 0,
    transactionHashes: [],
  })
  const top = HEAD + 1n
  const blocks: Chain['blocks'] = async (from, count) => {
    asked.push(from)
    return Array.from({ length: count }, (_, index) => from + BigInt(index))
      .filter((height) => height <= top)
      .map(blockAt)
  }
  const head: Chain['head'] = async () => ({
    height: top,
    hash: blockAt(top).hash,
    finalizedHeight: FINAL,
  })
  return { chain: { head, blocks }, blockAt, asked }
}

/** One who has read the first chain from its final block up to the head. */
async function following() {
  const { blockAt } = chainWith(HEAD * 2n)
  const read = Array.from({ length: Number(HEAD - FINAL) }, (_, index) =>
    blockAt(FINAL + 1n + BigInt(index)),
  )
  return database.store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, config.network, blockAt(FINAL))
    const cursor = await takeLease(tx, config.network, 'me', 60_000)
    if (cursor === undefined) throw new Error('no lease')
    return storeBlocks(tx, cursor, read)
  })
}

const depsOf = (chain: Partial<Chain>) => ({
  chain: scriptedChain(config, chain),
  store: database.store,
  book: openPaymentBook({ clock: systemClock }),
  deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
  log: openLog('silent'),
  killPoint: () => {},
})

test('a network is begun to be followed whose final block is thousands below its head', async () => {
  const { chain } = chainWith(HEAD * 2n)
  const driver = drive(database.store, async () => {}, undefined, { config, chain })
  try {
    await until('it is followed', () => driver.state().height !== null, { seconds: 30 })
    const [began] = await database.store.query<{ block_hash: string }>(
      'began',
      'select block_hash from followed_blocks order by height limit 1',
    )
    expect(began).toEqual({ block_hash: `a${FINAL}` })
  } finally {
    await driver.stop()
  }
})

test('a reorganisation of one block asks for a few blocks, and not for all that are not final', async () => {
  const cursor = await following()
  const { chain, asked } = chainWith(HEAD)
  expect(await followBlocks(depsOf(chain), cursor)).toMatchObject({ height: HEAD - 1n })
  expect(asked.length).toBeLessThan(4)
})

test('a reorganisation of thousands of blocks that are not final is found and followed', async () => {
  const cursor = await following()
  const { chain } = chainWith(HEAD - 3_000n)
  const next = await followBlocks(depsOf(chain), cursor)
  expect(next).toMatchObject({ height: HEAD - 3_001n, haltedReason: null })
})

test('a node that calls another block final stops the network, however far below its head', async () => {
  const cursor = await following()
  const { chain } = chainWith(FINAL)
  await expect(followBlocks(depsOf(chain), cursor)).rejects.toThrow()
  const rows = await database.store.query(
    'halted',
    'select halted_reason is not null as is_halted from followers',
  )
  expect(rows).toEqual([{ is_halted: true }])
})
