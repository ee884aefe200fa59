import { expect, test } from 'vitest'
import type { Block, TransactionHash } from '../chain.ts'
import { readArrivals } from './arrivals.ts'
import { blocksInReads } from './blocks-in-reads.ts'
import { testNetwork } from './test-network.ts'

const hash = (height: number) => `0x${height.toString(16).padStart(64, '0')}`

const blocksOf = (count: number, transactions: number): readonly Block[] =>
  Array.from({ length: count }, (_, height) => ({
    ...{ height: BigInt(height), hash: hash(height), parentHash: hash(height - 1) },
    timeMilliseconds: 0,
    transactionHashes: Array.from(
      { length: transactions },
      (__, index) => hash(index) as TransactionHash,
    ),
  }))

const sizes = (blocks: readonly Block[]) => blocksInReads(blocks).map(({ length }) => length)

test('as many transactions are read together whether they are in a few slow blocks or in many quick ones', () => {
  // Of two seconds, of 200 ms, and of a chain that is full to the brim.
  expect(sizes(blocksOf(50, 300))).toEqual([8, 8, 8, 8, 8, 8, 2])
  expect(sizes(blocksOf(50, 30))).toEqual([50])
  expect(sizes(blocksOf(20, 3_000))).toEqual([8, 8, 4])
})

test('all blocks with transactions are read, in order, and none without', () => {
  const mixed = blocksOf(40, 90).map((block) =>
    block.height % 3n === 0n ? { ...block, transactionHashes: [] } : block,
  )
  const read = blocksInReads(mixed).flat()
  expect(read).toEqual(mixed.filter(({ transactionHashes }) => transactionHashes.length > 0))
  expect(blocksInReads([])).toEqual([])
})

test('a round of quick blocks is asked for at once, and its arrivals are in order', async () => {
  const blocks = blocksOf(50, 30)
  let asked = 0
  const waves: number[] = []
  const answers = (method: string, [first]: readonly unknown[]): unknown => {
    if (method !== 'eth_getBlockByHash') return []
    const block = blocks.find((each) => each.hash === first)
    return { hash: first, transactions: block?.transactionHashes.map((each) => ({ hash: each })) }
  }
  const unasked = () => {
    throw new Error('nothing is told')
  }
  const arrivals = await readArrivals(
    {
      config: testNetwork(['http://localhost']),
      transport: {
        read: async ({ method, params, parse }) => {
          asked += 1
          if (asked === 1) setImmediate(() => waves.push((asked = 0)))
          await new Promise((resolve) => setImmediate(resolve))
          return parse(answers(method, params))
        },
        ...{ readLast: unasked, tellAll: unasked, tellEach: unasked },
      },
    },
    blocks,
    async () => new Set(),
  )
  expect(arrivals).toEqual([])
  expect(waves).toHaveLength(1)
})
