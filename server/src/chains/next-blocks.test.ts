import { expect, test } from 'vitest'
import type { Block } from './chain.ts'
import { nextBlocks } from './next-blocks.ts'

const block = (height: number, branch = 'a', below = branch): Block => ({
  height: BigInt(height),
  hash: `${branch}${height}`,
  parentHash: `${below}${height - 1}`,
  timeMilliseconds: 0,
  transactionHashes: [],
})

/** A chain that shows these blocks, and how often it was asked. */
function chainOf(...shown: readonly Block[]) {
  let asked = 0
  return {
    asked: () => asked,
    blocks: async (from: bigint, count: number) => {
      asked += 1
      return shown.filter(({ height }) => height >= from).slice(0, count)
    },
  }
}

const read = { height: 5n, blockHash: 'a5' }

test('a head that builds on the block that was read is the next one, without a question', async () => {
  const chain = chainOf()
  const head = { block: block(6) }
  expect(await nextBlocks(chain, read, head, 10)).toEqual([block(6)])
  expect(chain.asked()).toBe(0)
})

test('blocks between are asked for, with the one that was read, and no more than are wanted', async () => {
  const chain = chainOf(block(5), block(6), block(7), block(8))
  expect(await nextBlocks(chain, read, { block: block(8) }, 2)).toEqual([block(6), block(7)])
  expect(await nextBlocks(chain, read, {}, 10)).toEqual([block(6), block(7), block(8)])
  expect(chain.asked()).toBe(2)
})

test('a head that does not build on it decides nothing: the chain is asked whether it has another block there', async () => {
  const other = chainOf(block(5, 'b'), block(6, 'b'))
  expect(await nextBlocks(other, read, { block: block(6, 'b') }, 10)).toBeUndefined()
  // A node of the same branch that is behind.
  const behind = chainOf(block(5))
  expect(await nextBlocks(behind, read, { block: block(6, 'b') }, 10)).toEqual([])
  expect(await nextBlocks(chainOf(), read, {}, 10)).toBeUndefined()
})

test('a head of another height than the next is none that follows, whatever it says that it builds on', async () => {
  for (const height of [5n, 7n]) {
    const head = { block: { ...block(6), height } }
    expect(await nextBlocks(chainOf(block(5)), read, head, 10)).toEqual([])
  }
})

test('what does not build on what came before it is left for the next look', async () => {
  const chain = chainOf(block(5), block(6), block(7, 'b'))
  expect(await nextBlocks(chain, read, {}, 10)).toEqual([block(6)])
})

test('a head that stands on what is asked for below it is not asked for, nor is the one that was read', async () => {
  const questions: unknown[] = []
  const chain = chainOf(block(5), block(6), block(7), block(8))
  const blocks: typeof chain.blocks = (from, count) => {
    questions.push([from, count])
    return chain.blocks(from, count)
  }
  const run = [block(6), block(7), block(8)]
  expect(await nextBlocks({ blocks }, read, { block: block(8) }, 10)).toEqual(run)
  expect(questions).toEqual([[6n, 2]])
  // Of another branch, it is left for the next look.
  expect(await nextBlocks({ blocks }, read, { block: block(8, 'b') }, 10)).toEqual(run.slice(0, 2))
  // Nor does one of another height than the next, whatever it says that it builds on.
  const high = { ...block(8), height: 9n }
  expect(await nextBlocks({ blocks }, read, { block: high }, 10)).toEqual(run)
  const higher = { ...block(9), parentHash: 'a7' }
  const low = { ...chainOf(block(5), block(6), block(7)) }
  expect(await nextBlocks(low, read, { block: higher }, 10)).toEqual(run.slice(0, 2))
  // A node that is behind shows nothing to stand on.
  const few = chainOf(block(5), block(6))
  expect(await nextBlocks(few, read, { block: block(8) }, 10)).toEqual([block(6)])
})

test('where others have read what lies below the head nobody is asked', async () => {
  const chain = { ...chainOf(), between: () => [block(6), block(7), block(8)] }
  expect(await nextBlocks(chain, read, { block: block(8) }, 10)).toHaveLength(3)
  expect(await nextBlocks(chain, read, { block: block(8) }, 2)).toEqual([block(6), block(7)])
  expect(chain.asked()).toBe(0)
})

test('blocks above the one that was read that are of another branch show that it is gone', async () => {
  const other = chainOf(block(5, 'b'), block(6, 'b'), block(7, 'b'))
  expect(await nextBlocks(other, read, { block: block(7, 'b') }, 10)).toBeUndefined()
})
