import { expect, test } from 'vitest'
import { openSlotPace } from './slot-pace.ts'

function open() {
  let now = 1_000_000
  const pace = openSlotPace({ nowMilliseconds: () => now, sleep: async () => {} }, 400)
  let slot = 1_000n
  pace.note(slot)
  return {
    pace,
    /** So many looks at the head, one in so many milliseconds, each so many slots on. */
    passes: (looks: number, milliseconds: number, slots: bigint) => {
      for (let look = 0; look < looks; look += 1) {
        now += milliseconds
        slot += slots
        pace.note(slot)
      }
      return pace.milliseconds()
    },
    says: (other: bigint) => pace.note(other),
  }
}

test('the pace of a chain is what it was lately, and what is configured until that is known', () => {
  const { passes } = open()
  expect(passes(10, 1_000, 5n)).toBe(400)
  expect(passes(10, 1_000, 5n)).toBe(200)
  // It changes, and two minutes later nothing else is known.
  expect(passes(121, 1_000, 4n)).toBe(250)
})

test('a chain that stands still, or is slower than configured, makes no transaction good for longer', () => {
  const { passes } = open()
  expect(passes(60, 1_000, 0n)).toBe(400)
  expect(passes(60, 1_000, 1n)).toBe(400)
})

test('a slot or a time that goes back, or a slot of the far future, begins anew', () => {
  const { pace, passes, says } = open()
  expect(passes(30, 1_000, 5n)).toBe(200)
  says(900n)
  expect(pace.milliseconds()).toBe(400)
  expect(passes(30, 1_000, 5n)).toBeLessThan(400)
  expect(passes(1, -3_600_000, 5n)).toBe(400)
  expect(passes(30, 1_000, 5n)).toBe(200)
  expect(passes(1, 1_000, 10_000n)).toBe(400)
  expect(passes(30, 1_000, 5n)).toBe(200)
})
