import { expect, test } from 'vitest'
import { limits } from '../../kernel/limits.ts'
import { rangesOf } from './exact-final.ts'

const SIZE = BigInt(limits.logBlocksMax)

test('blocks are asked for in parts that nodes take, the newest first, without a gap and up to wherever the chain ends', () => {
  for (const count of [1n, SIZE - 1n, SIZE, SIZE + 1n, 5n * SIZE, 20n * SIZE]) {
    const since = 7n
    const head = since + count - 1n
    const ranges = rangesOf(since, head).toReversed()
    expect(ranges[0]?.from).toBe(since)
    expect(ranges.at(-1)?.to).toBe(null)
    ranges.forEach(({ from, to }, index) => {
      expect((to ?? head) - from).toBeLessThan(SIZE)
      if (index > 0) expect(from).toBe((ranges[index - 1]?.to ?? 0n) + 1n)
    })
  }
})

test('never more parts than the limit: the newest and the oldest', () => {
  const head = 1_000n * SIZE - 1n
  const ranges = rangesOf(0n, head)
  expect(ranges).toHaveLength(limits.logReadsMax)
  expect([ranges[0]?.from, ranges.at(-1)?.from]).toEqual([999n * SIZE, 0n])
  expect(new Set(ranges.map(({ from }) => from)).size).toBe(limits.logReadsMax)
})

test('a node that is behind is asked from there on', () => {
  expect(rangesOf(100n, 90n)).toEqual([{ from: 100n, to: null }])
})
