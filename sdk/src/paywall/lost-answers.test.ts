import { expect, test } from 'vitest'
import { lostAnswers } from './lost-answers.ts'

const LOST = { kind: 'pending', wasLost: true } as const

test('strangers who show thousands of payments while answers are lost push out none of a buyer', async () => {
  const lost = lostAnswers({ now: () => 7 })
  await lost.note('of the buyer', LOST)
  await Promise.all(Array.from({ length: 10_000 }, (_, index) => lost.note(`${index}`, LOST)))
  expect(await lost.since('of the buyer')).toBe(7)
})

test('of lost answers the newest are remembered, and no other ones', async () => {
  const lost = lostAnswers({ now: () => 7 }, 2)
  for (const header of ['1', '2', '3']) await lost.note(header, LOST)
  await lost.note('4', { kind: 'pending', wasLost: false })
  await lost.note('5', { kind: 'refused', reason: 'insufficient_funds', response: undefined })
  const known = ['1', '2', '3', '4', '5'].map((header) => lost.since(header))
  expect(await Promise.all(known)).toEqual([undefined, 7, 7, undefined, undefined])
})

test('one that is lost again is among the newest', async () => {
  const lost = lostAnswers({ now: () => 7 }, 2)
  for (const header of ['1', '2', '1', '3']) await lost.note(header, LOST)
  expect(await Promise.all([lost.since('1'), lost.since('2')])).toEqual([7, undefined])
})

test('one that is lost again was lost the first time', async () => {
  let now = 7
  const lost = lostAnswers({ now: () => now })
  await lost.note('1', LOST)
  now = 9
  await lost.note('1', LOST)
  expect(await lost.since('1')).toBe(7)
})
