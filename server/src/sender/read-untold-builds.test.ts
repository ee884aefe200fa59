import { afterAll, beforeAll, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { SelfCustody } from '../chains/self-custody.ts'
import { openLog } from '../kernel/log.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { BuildBook, SightedPlace } from './build-book.ts'
import { readUntoldBuilds } from './read-untold-builds.ts'
import { scriptedChain } from './test-chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const placeOf = (name: string): SightedPlace => ({
  ...{ transactionHash: name as TransactionHash, height: 6n, blockHash: 'a6' },
})

/** What is asked for at each of so many heights, where no node keeps the blocks of those that are called `gone`. */
async function askedAt(heights: number, kinds: readonly (readonly string[])[]) {
  const { store } = database
  const chain = testNetwork(74_990)
  const { network } = chain
  const builds: BuildBook = {
    hasLive: async () => true,
    watched: async () => ({ senders: new Set(), commitments: new Set() }),
    hold: async () => undefined,
    sighted: async () => undefined,
    untold: {
      places: async () => kinds.map((names) => names.map(placeOf)),
      told: async () => undefined,
    },
    undone: async () => undefined,
    final: async () => 0,
  }
  const asked: string[][] = []
  const sightings: SelfCustody['sightings'] = async ([block]) => {
    const [name = ''] = block?.transactionHashes ?? []
    asked.at(-1)?.push(name)
    if (name.startsWith('gone')) throw new NodeFailure('its block is cleaned up')
    return []
  }
  const selfCustody = { sightings } as Partial<SelfCustody> as SelfCustody
  const log = openLog('info', { write: () => undefined })
  for (let at = 0; at < heights; at += 1) {
    asked.push([])
    const height = BigInt(100 + at)
    const cursor = { network, height, blockHash: `a${height}`, finalizedHeight: 90n, fence: 1n }
    await readUntoldBuilds(
      { chain: scriptedChain(chain, { selfCustody }), store, builds, log },
      { ...cursor, haltedReason: null },
    )
  }
  return asked
}

test('what no node keeps any more hides nothing of its own kind for good, and nothing of another kind at all', async () => {
  const asked = await askedAt(3, [['gone1', 'gone2', 'good'], ['other']])
  expect(asked.filter((each) => each.includes('good'))).not.toEqual([])
  expect(asked.filter((each) => each.includes('other'))).toHaveLength(3)
})

test('nodes that answer nothing at all are not waited for many times', async () => {
  const [asked] = await askedAt(1, [['gone1', 'gone2', 'gone3', 'gone4']])
  expect(asked).toHaveLength(2)
})
