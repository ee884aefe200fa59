import { expect, test } from 'vitest'
import { limits } from '../../kernel/limits.ts'
import type { Block } from '../chain.ts'
import { openKeptBlocks } from './kept-blocks.ts'

const block = (height: number, branch = 'a', below = branch): Block => ({
  height: BigInt(height),
  hash: `${branch}${height}`,
  parentHash: `${below}${height - 1}`,
  timeMilliseconds: 0,
  transactionHashes: [],
})
const whole = (of: Block, input = '0x') => ({
  block: of,
  told: { gasUsed: 0n, bloom: undefined },
  transactions: [{ input }],
})

test('blocks that were read lead from a head to the one that was read last, and only by their parents', () => {
  const kept = openKeptBlocks()
  for (const height of [6, 7, 8]) kept.keep(whole(block(height)))
  const read = { height: 5n, blockHash: 'a5' }
  expect(kept.between(read, block(9))).toEqual([block(6), block(7), block(8), block(9)])
  expect(kept.between(read, block(6))).toEqual([block(6)])
  expect(kept.between(read, block(9, 'b'))).toBeUndefined()
  expect(kept.between({ height: 5n, blockHash: 'b5' }, block(9))).toBeUndefined()
  expect(kept.between({ height: 3n, blockHash: 'a3' }, block(9))).toBeUndefined()
  expect(kept.between({ height: 4n, blockHash: 'a5' }, block(9))).toBeUndefined()
})

test('a block that does not stand one higher than its parent leads nowhere, so that none can lead to itself', () => {
  const kept = openKeptBlocks()
  const read = { height: 5n, blockHash: 'a5' }
  kept.keep(whole(block(6)))
  kept.keep(whole({ ...block(7), height: 8n }))
  expect(kept.between(read, { ...block(8), height: 9n })).toBeUndefined()
})

test('a few blocks are kept, and no more of what their transactions say than a few MB', () => {
  const kept = openKeptBlocks()
  const heights = Array.from({ length: limits.keptBlocksMax + 1 }, (_, index) => index + 1)
  for (const height of heights) kept.keep(whole(block(height)))
  expect(heights.filter((height) => kept.of(block(height)) === undefined)).toEqual([1])
  const half = '0'.repeat(limits.keptBlockCharactersMax / 2)
  kept.keep(whole(block(101), half))
  expect(kept.of(block(30))).toBeDefined()
  kept.keep(whole(block(102), half))
  expect([30, 101, 102].map((height) => kept.of(block(height)) !== undefined)).toEqual([
    ...[false, false, true],
  ])
  kept.keep(whole(block(103), half + half))
  expect(kept.of(block(103))).toBeUndefined()
  // Wherever in a transaction it stands: some chains have calls in a list of their own.
  for (const field of ['accessList', 'authorizationList', 'calls', 'feePayerSignature']) {
    const transactions = [{ input: '0x', [field]: [{ data: half + half }] }]
    kept.keep({ ...whole(block(104)), transactions })
    expect(kept.of(block(104))).toBeUndefined()
  }
})
