import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openWorkingSlots } from './working-slots.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Slots, and who has begun to work, in order. */
function scene(atOnce: number) {
  const slots = openWorkingSlots(atOnce, 100)
  const begun: string[] = []
  const come = async (name: string): Promise<void> => {
    await slots.take()
    begun.push(name)
  }
  const passes = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
  return { slots, begun, come, passes }
}

test('so many work at once, and the others begin in order as these end', async () => {
  const { slots, begun, come, passes } = scene(2)
  const all = ['a', 'b', 'c', 'd'].map(come)
  await passes(0)
  expect([begun, slots.waiting()]).toEqual([['a', 'b'], 2])
  slots.give()
  await passes(0)
  expect(begun).toEqual(['a', 'b', 'c'])
  slots.give()
  await Promise.all(all)
  expect([begun, slots.waiting()]).toEqual([['a', 'b', 'c', 'd'], 0])
})

test('nobody waits longer than the patience, whoever works on and on', async () => {
  const { slots, begun, come, passes } = scene(1)
  const first = [come('slow'), come('b')]
  await passes(50)
  const late = come('c')
  await passes(49)
  expect(begun).toEqual(['slow'])
  await passes(1)
  expect(begun).toEqual(['slow', 'b'])
  await passes(50)
  await Promise.all([...first, late])
  expect(begun).toEqual(['slow', 'b', 'c'])
  // Too many work now: nobody new begins until they are few enough.
  const next = come('d')
  slots.give()
  slots.give()
  await passes(0)
  expect(begun).not.toContain('d')
  slots.give()
  await next
  expect([begun.at(-1), slots.waiting()]).toEqual(['d', 0])
})

test('who comes while others wait does not go before them', async () => {
  const { slots, begun, come, passes } = scene(1)
  const all = [come('a'), come('b')]
  await passes(0)
  slots.give()
  all.push(come('c'))
  await passes(0)
  expect(begun).toEqual(['a', 'b'])
  slots.give()
  await Promise.all(all)
  expect(begun).toEqual(['a', 'b', 'c'])
})
