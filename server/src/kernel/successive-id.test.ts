import { expect, test } from 'vitest'
import { newId, parseId } from './id.ts'
import type { EventId } from './id.ts'
import { systemRandom } from './random.ts'
import { idAfter, placesBetween } from './successive-id.ts'

const idOf = (body: string): EventId => {
  const id = parseId('evt', `evt_${body.padStart(22, '1')}`)
  if (id === undefined) throw new Error('not an id')
  return id
}

test('ids that follow each other are ids, grow as text and as numbers, and differ', () => {
  const first = newId(systemRandom, 'evt')
  const ids = Array.from({ length: 10_000 }, (_, places) => idAfter(first, places))
  expect(ids[0]).toBe(first)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [places, id] of ids.entries()) {
    expect(parseId('evt', id)).toBe(id)
    if (places % 997 === 0) expect(placesBetween(first, id)).toBe(BigInt(places))
  }
})

test.each([
  ['z', 1, '21'],
  ['zz', 1, '211'],
  ['zz', 58 * 58 + 1, '311'],
  ['1', 57, 'z'],
  ['9', 1, 'A'],
  ['Z', 1, 'a'],
])('behind %s after %d places comes %s', (body, places, next) => {
  expect(idAfter(idOf(body), places)).toBe(idOf(next))
})

test('the last of the random ids has room behind it, and nothing before it is behind it', () => {
  const last = newId({ ...systemRandom, bytes: (count) => new Uint8Array(count).fill(255) }, 'evt')
  const after = idAfter(last, 1_000_000)
  expect(parseId('evt', after)).toBe(after)
  expect(after > last).toBe(true)
  expect(placesBetween(after, last)).toBe(-1_000_000n)
  expect(() => idAfter(idOf('z'.repeat(22)), 1)).toThrow(/no id follows/)
})
