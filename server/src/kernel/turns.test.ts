import { expect, test } from 'vitest'
import { openTurns } from './turns.ts'
import { until } from './until.ts'

test('so many run at once, in the order in which they came, and a failure takes no turn with it', async () => {
  const inTurn = openTurns(2)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const outcomes = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    inTurn(async () => {
      begun.push(name)
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      await end.promise
      return name
    }).catch((error: unknown) => String(error)),
  )
  const hasBegun = (names: string) =>
    until(`${names} have begun`, () => begun.join('') === names, { seconds: 30 })
  await hasBegun('ab')
  ends.get('b')?.reject(new Error('b'))
  await hasBegun('abc')
  const late = inTurn(async () => begun.push('f'))
  ends.get('a')?.resolve()
  await hasBegun('abcd')
  ends.get('c')?.resolve()
  await hasBegun('abcde')
  ends.get('d')?.resolve()
  await late
  expect(begun.join('')).toBe('abcdef')
  ends.get('e')?.resolve()
  expect(await Promise.all(outcomes)).toEqual(['a', 'Error: b', 'c', 'd', 'e'])
})
