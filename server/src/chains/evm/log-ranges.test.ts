import { expect, test } from 'vitest'
import { limits } from '../../kernel/limits.ts'
import { openLogLooks } from './log-ranges.ts'
import type { LogLook } from './log-ranges.ts'

const SIZE = BigInt(limits.logBlocksMax)
const allOf = ({ newest, others }: LogLook) => [...newest, ...others]
const look = (since: bigint, head: bigint) => openLogLooks().look('it', since, head)

test('blocks are asked for in parts that nodes take, the newest first, without a gap and up to wherever the chain ends', () => {
  for (const count of [1n, SIZE - 1n, SIZE, SIZE + 1n, 5n * SIZE, 20n * SIZE]) {
    const since = 7n
    const head = since + count - 1n
    const asked = allOf(look(since, head))
    expect(asked[0]?.to).toBe(null)
    const ranges = asked.toSorted((one, other) => Number(one.from - other.from))
    expect(ranges[0]?.from).toBe(since)
    ranges.forEach(({ from, to }, index) => {
      expect((to ?? head) - from).toBeLessThan(SIZE)
      if (index > 0) expect(from).toBe((ranges[index - 1]?.to ?? 0n) + 1n)
    })
  }
})

test('never more parts than the limit: the newest and the oldest', () => {
  const ranges = allOf(look(0n, 1_000n * SIZE - 1n))
  expect(ranges).toHaveLength(limits.logReadsMax)
  expect(ranges[0]?.from).toBe(999n * SIZE)
  expect(ranges[limits.logReadsMax / 2]?.from).toBe(0n)
  expect(new Set(ranges.map(({ from }) => from)).size).toBe(limits.logReadsMax)
})

test('a node that is behind is asked from there on', () => {
  expect(allOf(look(100n, 90n))).toEqual([{ from: 100n, to: null }])
})

test('what lies in between is asked for by later looks, each part once before any is asked for again, while the chain goes on', () => {
  const looks = openLogLooks()
  const asked: bigint[] = []
  let head = 100n * SIZE - 1n
  while (asked.length < 89) {
    const next = looks.look('it', 0n, head)
    expect(next.others.length + next.newest.length).toBeLessThanOrEqual(limits.logReadsMax)
    for (const range of next.others) {
      asked.push(range.from / SIZE)
      next.looked(range)
    }
    // The newest of a later look are beyond those of the first.
    head += SIZE / 4n
  }
  expect(asked.slice(0, 89)).toEqual(Array.from({ length: 89 }, (_, part) => BigInt(part)))
  expect(looks.look('another', 0n, head).others[0]?.from).toBe(0n)
})

test('behind the last of them the next look begins with the oldest again, and one that was broken off where it was', () => {
  const looks = openLogLooks()
  const parts = () => {
    const next = looks.look('it', 0n, 25n * SIZE - 1n)
    return { next, parts: next.others.map(({ from }) => Number(from / SIZE)) }
  }
  const first = parts()
  first.next.others.slice(0, 4).forEach((range) => first.next.looked(range))
  const second = parts()
  expect(second.parts).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
  second.next.others.forEach((range) => second.next.looked(range))
  const third = parts()
  expect(third.parts).toEqual([14])
  third.next.others.forEach((range) => third.next.looked(range))
  expect(parts().parts[0]).toBe(0)
})

test('whoever looks from a height that goes on with the chain leaves no block out either, until it begins anew', () => {
  const looks = openLogLooks()
  let end = 0n
  for (let round = 0n; round < 5n; round += 1n) {
    const since = round * 3n * SIZE + round
    const { others, looked } = looks.look('it', since, since + 60n * SIZE)
    const [first] = others
    if (round > 0n) expect(first?.from).toBeLessThanOrEqual(end)
    for (const range of others) {
      end = range.from + SIZE
      looked(range)
    }
  }
})
