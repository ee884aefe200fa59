import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { keepRead } from './keep-read.ts'

function opened() {
  const time = { now: 1_000_000 }
  const clock = { ...systemClock, nowMilliseconds: () => time.now }
  const keep = keepRead<number>({ clock, keptMax: 2 })
  let reads = 0
  const read = () => keep('alice', 3, async () => (reads += 1))
  return { time, keep, read }
}

test('what is asked for by many at once, and again within its lifetime, is read once', async () => {
  const { time, read } = opened()
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1])
  time.now += 2_999
  expect(await read()).toBe(1)
  time.now += 1
  expect(await read()).toBe(2)
})

test('a clock that goes back reads anew', async () => {
  const { time, read } = opened()
  await read()
  time.now -= 1
  expect(await read()).toBe(2)
})

test('a read that failed is not kept, and the oldest name makes way', async () => {
  const { keep, read } = opened()
  await expect(keep('bob', 3, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await keep('bob', 3, async () => 7)).toBe(7)
  await read()
  await keep('carol', 3, async () => 8)
  expect(await keep('bob', 3, async () => 9)).toBe(9)
})
