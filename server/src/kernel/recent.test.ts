import { expect, test } from 'vitest'
import { openRecent } from './recent.ts'

test('keeps half of its bound at least, the whole at most, and what is used again', () => {
  const recent = openRecent<number>(100)
  recent.set('used', -1)
  for (let count = 0; count < 1_000; count += 1) {
    recent.set(`${count}`, count)
    expect(recent.get('used')).toBe(-1)
    expect(recent.get(`${Math.max(0, count - 20)}`)).toBe(Math.max(0, count - 20))
  }
  const kept = Array.from({ length: 1_000 }, (_, count) => `${count}`).filter(
    (key) => recent.get(key) !== undefined,
  )
  expect(kept.length).toBeLessThanOrEqual(100)
  expect(recent.get('0')).toBeUndefined()
})

test('says the newest value', () => {
  const recent = openRecent<number>(4)
  for (const value of [1, 2, 3, 4, 5]) {
    recent.set('a', value)
    recent.set(`${value}`, value)
    expect(recent.get('a')).toBe(value)
  }
})
