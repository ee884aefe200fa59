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
    until(`statement ${nth} was sent`, () => statements[nth], { seconds: 30 })
  const answer = async (nth: number) => {
    const { keys, answer: give } = await sent(nth)
    give()
    return keys
  }
  return { read, sent, answer }
}

test('reads of one tick share a statement, and so do those that come while others are under way', async () => {
  const { read, sent, answer } = heldReads()
  const found = ['a', 'none', 'b'].map((key) => read(key))
  expect((await sent(0)).keys).toEqual(['a', 'none', 'b'])
  found.push(read('c'))
  expect((await sent(1)).keys).toEqual(['c'])
  found.push(...['d', 'e', 'f', 'g'].map((key) => read(key)))
  await answer(1)
  expect(await found[3]).toBe('of c')
  expect(await answer(2)).toEqual(['d', 'e', 'f'])
  expect(await answer(3)).toEqual(['g'])
  await answer(0)
  const answers = ['of a', undefined, 'of b', 'of c', 'of d', 'of e', 'of f', 'of g']
  expect(await Promise.all(found)).toEqual(answers)
})

test('a question is never answered by a statement that was sent before it', async () => {
  const { read, sent, answer } = heldReads()
  const first = read('a')
  await sent(0)
  const again = read('a')
  await answer(0)
  expect(await first).toBe('of a')
  expect(await answer(1)).toEqual(['a'])
  expect(await again).toBe('of a')
})

test('a statement that fails, fails for those who shared it and for nobody after them', async () => {
  const { read, sent, answer } = heldReads()
  const shared = [read('a'), read('b')].map((each) => each.catch((error: unknown) => String(error)))
  const { fail } = await sent(0)
  const later = read('c')
  fail(new Error('away'))
  expect(await Promise.all(shared)).toEqual(['Error: away', 'Error: away'])
  await answer(1)
  expect(await later).toBe('of c')
})
