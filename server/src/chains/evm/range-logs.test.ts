import { expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Block } from '../chain.ts'
import type { Read } from '../json-rpc/transport.ts'
import { excludes, openRangeLogs } from './range-logs.ts'

const word = (text: string) => `0x${text.padStart(64, '0')}`
const block = (height: number, branch = 'a'): Block => ({
  height: BigInt(height),
  hash: word(`${branch}${height}`),
  parentHash: word(`a${height - 1}`),
  timeMilliseconds: 0,
  transactionHashes: [],
})
const log = (height: number, branch = 'a', serial = 0) => ({
  blockHash: word(`${branch}${height}`),
  serial,
})
const RUN = [block(5), block(6), block(7)]
const ASKED = {
  filter: { topics: ['0x01'] },
  found: ({ serial }: Readonly<Record<string, unknown>>) => [serial],
}

/** What a node that answers so shows of blocks, and the questions that it was asked. */
function nodeOf(...answers: readonly (readonly object[] | 'refusal' | 'failure')[]) {
  const asked: unknown[] = []
  let now = 1_790_000_000_000
  const read = async <Value>(asking: Read<Value>): Promise<Value> => {
    asked.push(asking.params[0])
    const answer = answers[asked.length - 1] ?? []
    if (answer === 'failure') throw new NodeFailure('no answer')
    if (answer !== 'refusal') return asking.parse(answer)
    const meant = asking.meaning?.({ code: -32_000, message: 'block range is too wide' })
    if (meant === undefined) throw new NodeFailure('refused')
    return meant
  }
  const ranges = openRangeLogs({ read }, { nowMilliseconds: () => now })
  return {
    asked,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    /** Of each block the logs, null where it has to be asked for by itself. */
    shown: async (blocks: readonly Block[] = RUN, chain = blocks) => {
      const answer = ranges.read(blocks, chain, ASKED)
      return Promise.all(blocks.map(async (each) => (await answer(each))?.found ?? null))
    },
  }
}

test('consecutive blocks are asked for their logs in one question', async () => {
  const node = nodeOf([log(5, 'a', 1), log(6, 'a', 2), log(7, 'a', 3), log(7, 'a', 4)])
  expect(await node.shown()).toEqual([[1], [2], [3, 4]])
  expect(node.asked).toEqual([{ fromBlock: '0x5', toBlock: '0x7', topics: ['0x01'] }])
})

test('an answer says nothing of blocks above the last one that it shows a log of: who answers may not have them', async () => {
  expect(await nodeOf([log(6, 'a', 2)]).shown()).toEqual([[], [2], null])
  expect(await nodeOf([]).shown()).toEqual([null, null, null])
})

test('an answer with a log of another branch says nothing at all', async () => {
  const other = nodeOf([log(5, 'a', 1), log(6, 'b', 2), log(7, 'a', 3)])
  expect(await other.shown()).toEqual([null, null, null])
})

test('so many logs that a node may have left some out say nothing', async () => {
  // Who gives no more than a thousand gives a thousand of them.
  const many = Array.from({ length: 1_000 }, (_, serial) => log(7, 'a', serial))
  expect(await nodeOf(many).shown()).toEqual([null, null, null])
  expect((await nodeOf(many.slice(1)).shown())[2]).toHaveLength(999)
})

test('a lone block, and those that do not build on each other, are asked for by themselves', async () => {
  const node = nodeOf([log(6, 'a', 1)])
  expect(await node.shown([block(5)])).toEqual([null])
  expect(await node.shown([block(5), block(7)])).toEqual([null, null])
  expect(await node.shown([block(5), { ...block(6), parentHash: word('b5') }])).toEqual([
    null,
    null,
  ])
  // Nor do those of which one is not one higher, whatever it says that it builds on.
  expect(await node.shown([block(5), { ...block(6), height: 7n }])).toEqual([null, null])
  expect(node.asked).toEqual([])
  // With one between them that nobody wants to know of.
  expect(await node.shown([block(5), block(7)], RUN)).toEqual([[], null])
  expect(await node.shown([block(6), block(7)], [...RUN, block(8)])).toEqual([null, null])
  expect(node.asked.at(-1)).toMatchObject({ fromBlock: '0x6', toBlock: '0x7' })
})

test.each(['refusal', 'failure'] as const)(
  'behind a %s nobody asks for several at once for a minute',
  async (end) => {
    const node = nodeOf(end, [log(7)])
    expect(await node.shown()).toEqual([null, null, null])
    node.pass(59_999)
    expect(await node.shown()).toEqual([null, null, null])
    expect(node.asked).toHaveLength(1)
    node.pass(1)
    expect(await node.shown()).toEqual([[], [], [0]])
  },
)

test('a filter excludes only where something stands in it', () => {
  const wanted = [[new Uint8Array(20).fill(7)]]
  const filter = (fill: number) => new Uint8Array(256).fill(fill)
  const one = filter(0)
  one[0] = 1
  expect(excludes({ gasUsed: 1n, bloom: one }, wanted)).toBe(true)
  for (const bloom of [undefined, filter(0), filter(0xff)]) {
    expect(excludes({ gasUsed: 1n, bloom }, wanted)).toBe(false)
  }
})
