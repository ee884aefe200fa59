import { expect, test } from 'vitest'
import { until } from '../kernel/until.ts'
import { shareReads } from './shared-reads.ts'

interface Statement {
  readonly keys: readonly string[]
  readonly answer: () => void
  readonly fail: (error: Error) => void
}

/** Reads whose statements the test answers, in any order. */
function heldReads() {
  const statements: Statement[] = []
  const read = shareReads<string, string>({
    underWayMax: 2,
    sharedMax: 3,
    read: (keys) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve(keys.map((key) => (key === 'none' ? undefined : `of ${key}`)))
        statements.push({ keys, answer, fail: reject })
      }),
  })
  const sent = (nth: number) =>
    until(`statement ${nth} was sent`, () => statements[nth], { seconds: 5 })
  const answer = async (nth: number) => {
    const { keys, answer: give } = await sent(nth)
    give()
    return keys
  }
  return { statements, read, sent, answer }
}

test('a lone read goes at once, and those that come while others are under way share', async () => {
  const { statements, read, answer } = heldReads()
  const found = ['a', 'b', 'c', 'none', 'd', 'e'].map((key) => read(key))
  expect(statements.map(({ keys }) => keys)).toEqual([['a'], ['b']])
  await answer(1)
  expect(await found[1]).toBe('of b')
  expect(await answer(2)).toEqual(['c', 'none', 'd'])
  expect(await found[2]).toBe('of c')
  expect(await found[3]).toBe(undefined)
  await answer(0)
  expect(await answer(3)).toEqual(['e'])
  expect(await Promise.all(found)).toEqual(['of a', 'of b', 'of c', undefined, 'of d', 'of e'])
})

test('a question is never answered by a statement that was sent before it', async () => {
  const { read, answer } = heldReads()
  const first = read('a')
  void read('b')
  const again = read('a')
  await answer(0)
  expect(await first).toBe('of a')
  expect(await answer(2)).toEqual(['a'])
  expect(await again).toBe('of a')
})

test('a statement that fails, fails for those who shared it and for nobody after them', async () => {
  const { read, sent, answer } = heldReads()
  const first = [read('a'), read('b')]
  const shared = [read('c'), read('d')].map((each) => each.catch((error: unknown) => String(error)))
  await answer(0)
  const { fail } = await sent(2)
  fail(new Error('away'))
  expect(await Promise.all(shared)).toEqual(['Error: away', 'Error: away'])
  const later = read('e')
  await answer(1)
  expect(await Promise.all(first)).toEqual(['of a', 'of b'])
  await answer(3)
  expect(await later).toBe('of e')
})
