import { expect, test } from 'vitest'
import type { Block } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import { openToldHeads } from './told-heads.ts'

const headAt = (height: number, final: number, branch = 'a') => ({
  height: BigInt(height),
  hash: `${branch}${height}`,
  finalizedHeight: BigInt(final),
})
const blockAt = (height: number, branch = 'a'): Block => ({
  height: BigInt(height),
  hash: `${branch}${height}`,
  parentHash: `${branch}${height - 1}`,
  timeMilliseconds: 0,
  transactionHashes: [],
})

/** What is told where nodes show this block, and how often one was asked for. */
function toldBy(shown: () => Block | undefined) {
  let asked = 0
  const told = openToldHeads({
    blocks: async () => {
      asked += 1
      const block = shown()
      return block === undefined ? [] : [block]
    },
  })
  const finals = async (finalizedHeight: number) =>
    (await told.toldTwice({ finalizedHeight: BigInt(finalizedHeight) })).map((each) =>
      Number(each.finalizedHeight),
    )
  return { told, finals, asked: () => asked }
}

test('a height that was known to be final is no answer, and a higher one is', async () => {
  const { told, finals } = toldBy(() => undefined)
  expect(told.note(headAt(20, 10), undefined)).toBe(false)
  expect(told.note(headAt(21, 10), 10n)).toBe(false)
  // The head is the same, whatever was asked.
  expect(told.note(headAt(21, 10), 10n)).toBe(true)
  // One that is behind what is known.
  told.note(headAt(9, 9), 10n)
  expect(told.last()).toBe('a9')
  expect(await finals(0)).toEqual([10])
  told.note(headAt(22, 11), 10n)
  expect(await finals(0)).toEqual([10, 11])
})

test('the same head told again is one of them with what it calls final now, but never lower', async () => {
  const { told, finals } = toldBy(() => undefined)
  told.note(headAt(20, 10), undefined)
  told.note(headAt(20, 12), undefined)
  expect(await finals(0)).toEqual([12])
  told.note(headAt(20, 11), undefined)
  expect(await finals(0)).toEqual([12, 11])
})

test('so many heads are remembered and no more', async () => {
  const { told, finals } = toldBy(() => undefined)
  const count = limits.toldHeadsMax + 1
  for (let height = 1; height <= count; height += 1)
    told.note(headAt(height + 9, height), undefined)
  const heights = await finals(0)
  expect(heights).toHaveLength(limits.toldHeadsMax)
  expect(heights.at(-1)).toBe(count)
})

test('a head that nothing but its own answer has shown counts once a node shows its block', async () => {
  let block: Block | undefined = blockAt(20, 'b')
  const { told, finals, asked } = toldBy(() => block)
  told.note(headAt(19, 8), undefined)
  told.note(headAt(20, 10), undefined)
  told.shown('a20')
  expect(await finals(8)).toEqual([8])
  block = undefined
  expect(await finals(8)).toEqual([8])
  block = blockAt(20)
  expect(await finals(8)).toEqual([8, 10])
  expect(asked()).toBe(3)
  // Nobody is asked twice, nor where it says nothing new.
  expect(await finals(8)).toEqual([8, 10])
  told.shown('a20')
  expect(await finals(10)).toEqual([8])
  expect(asked()).toBe(3)
})

test('a head counts where something else has shown it', async () => {
  const { told, finals, asked } = toldBy(() => undefined)
  told.note(headAt(20, 10), undefined)
  told.shown('a20')
  told.shown(undefined)
  expect(await finals(8)).toEqual([10])
  expect(asked()).toBe(0)
})
