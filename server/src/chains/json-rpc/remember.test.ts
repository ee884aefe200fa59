import { expect, test } from 'vitest'
import { remember } from './remember.ts'

function open() {
  let now = 1_790_000_000_000
  const asked: string[] = []
  const clock = { nowMilliseconds: () => now, sleep: async () => undefined }
  const ask = remember({ clock, seconds: 30, entriesMax: 2 }, async (key: string) => {
    asked.push(key)
    return asked.length
  })
  return { asked, ask, pass: (seconds: number) => (now += seconds * 1000) }
}

test('an answer is believed for its seconds and asked for anew after them', async () => {
  const { ask, pass } = open()
  expect([await ask('a'), await ask('a')]).toEqual([1, 1])
  pass(29)
  expect(await ask('a')).toBe(1)
  pass(1)
  expect(await ask('a')).toBe(2)
})

test('an answer is not believed for hours because a clock was set back', async () => {
  const { ask, pass } = open()
  await ask('a')
  pass(-3_600)
  expect(await ask('a')).toBe(2)
  expect(await ask('a')).toBe(2)
})

test('of more than are kept the oldest is asked for again', async () => {
  const { ask, asked } = open()
  for (const key of ['a', 'b', 'c', 'b', 'a']) await ask(key)
  expect(asked).toEqual(['a', 'b', 'c', 'a'])
})
