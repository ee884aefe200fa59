import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openWindows } from './windows.ts'

const WINDOW = limits.rateWindowSeconds * 1000
const START = 1_790_000_000_000

function openAt(more: { readonly windowsMax?: number } = {}) {
  const time = { now: START }
  const clock: Clock = { ...systemClock, nowMilliseconds: () => time.now }
  const windows = openWindows({ clock, ...more })
  const times = (count: number, name: string, limit: number) =>
    Array.from({ length: count }, () => windows.take(name, limit)).filter(({ allowed }) => allowed)
      .length
  return { windows, time, times }
}

describe('a window', () => {
  test('starts at its first request, ends 60 s later, and then the next request starts another', () => {
    const { windows, time } = openAt()
    expect(windows.take('a', 2)).toEqual({
      allowed: true,
      remaining: 1,
      nowMilliseconds: START,
      resetAtMilliseconds: START + WINDOW,
    })
    time.now += 59_999
    const resetAtMilliseconds = START + WINDOW
    expect(windows.take('a', 2)).toMatchObject({ allowed: true, remaining: 0, resetAtMilliseconds })
    expect(windows.take('a', 2)).toMatchObject({ allowed: false, resetAtMilliseconds })
    time.now += 1
    expect(windows.take('a', 2)).toMatchObject({
      allowed: true,
      remaining: 1,
      resetAtMilliseconds: time.now + WINDOW,
    })
  })

  test('lets exactly its limit pass, and is not made longer by what it refuses', () => {
    const { time, times } = openAt()
    expect(times(1_000, 'a', 100)).toBe(100)
    for (let step = 0; step < 59; step += 1) {
      time.now += 1_000
      expect(times(10, 'a', 100)).toBe(0)
    }
    time.now += 1_000
    expect(times(1_000, 'a', 100)).toBe(100)
  })

  test('of one name is not that of another', () => {
    const { times } = openAt()
    expect(times(200, 'a', 100)).toBe(100)
    expect(times(200, 'b', 100)).toBe(100)
  })

  test('knows at once when its limit was changed, and counts what it has served, not what it refused', () => {
    const { times, windows } = openAt()
    expect(times(500, 'a', 100)).toBe(100)
    expect(windows.take('a', 1_000)).toMatchObject({ allowed: true, remaining: 899 })
    expect(windows.take('a', 50)).toMatchObject({ allowed: false, remaining: 0 })
  })

  test('takes a request back, once, and only into the window that is open', () => {
    const { times, windows, time } = openAt()
    expect(times(3, 'a', 3)).toBe(3)
    windows.giveBack('a')
    windows.giveBack('nobody')
    expect(times(9, 'a', 3)).toBe(1)
    time.now += WINDOW
    windows.giveBack('a')
    expect(times(9, 'a', 3)).toBe(3)
  })

  test('goes on where another one stands, whichever answer came first', () => {
    const { times, windows, time } = openAt()
    windows.adopt('a', { taken: 60, leftMilliseconds: 20_000 })
    windows.adopt('a', { taken: 59, leftMilliseconds: 20_030 })
    expect(windows.take('a', 100)).toMatchObject({ remaining: 39 })
    expect(times(99, 'a', 100)).toBe(39)
    windows.adopt('a', { taken: 1, leftMilliseconds: WINDOW })
    expect(times(999, 'a', 100)).toBe(99)
    time.now += WINDOW
    expect(times(999, 'a', 100)).toBe(100)
  })
})

describe('whatever arrives whenever', () => {
  const arrivals = fc.array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      pause: fc.oneof(fc.nat(50), fc.nat(70_000)),
    }),
    { maxLength: 400 },
  )

  test('no window serves more than its limit, or less when more was asked for', () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 6 }), (events, limit) => {
        const { windows, time } = openAt()
        const open = new Map<string, { endsAt: number; served: number }>()
        for (const { name, pause } of events) {
          time.now += pause
          const known = open.get(name)
          const window =
            known !== undefined && time.now < known.endsAt
              ? known
              : { endsAt: time.now + WINDOW, served: 0 }
          open.set(name, window)
          const taken = windows.take(name, limit)
          expect(taken.allowed).toBe(window.served < limit)
          if (taken.allowed) window.served += 1
          expect(taken.remaining).toBe(limit - window.served)
          expect(taken.resetAtMilliseconds).toBe(window.endsAt)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('no name is served more than its limit in a window of its own, however small the table is', () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 0, max: 3 }), (events, windowsMax) => {
        const limit = 3
        const { windows, time } = openAt({ windowsMax })
        const served = new Map<string, number[]>()
        for (const { name, pause } of events) {
          time.now += pause
          if (!windows.take(name, limit).allowed) continue
          const times = (served.get(name) ?? []).filter((at) => at > time.now - WINDOW)
          // Two fixed windows can end and begin within one minute, never three.
          expect(times.length).toBeLessThan(2 * limit)
          served.set(name, [...times, time.now])
        }
      }),
      { numRuns: 300 },
    )
  })

  test('a clock that jumps back neither gives a new window nor holds one open for longer', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3_600_000, max: 20_000 })), (steps) => {
        const { windows, time } = openAt()
        let elapsed = 0
        let endsAt = -1
        let served = 0
        for (const step of steps) {
          time.now += step
          elapsed += Math.max(0, step)
          if (elapsed >= endsAt) [endsAt, served] = [elapsed + WINDOW, 0]
          const taken = windows.take('a', 2)
          expect(taken.allowed).toBe(served < 2)
          if (taken.allowed) served += 1
          expect(taken.resetAtMilliseconds).toBe(time.now + endsAt - elapsed)
        }
      }),
    )
  })
})

describe('a table that is full', () => {
  test('throws nobody out: who has used up a window stays refused until it ends', () => {
    const { windows, time, times } = openAt({ windowsMax: 10 })
    expect(times(9, 'attacker', 3)).toBe(3)
    for (let name = 0; name < 5_000; name += 1) windows.take(`name ${name}`, 3)
    expect(times(9, 'attacker', 3)).toBe(0)
    time.now += WINDOW
    expect(times(9, 'attacker', 3)).toBe(3)
  })

  test('lets all further names together have no more than the shared windows hold', () => {
    const { windows, time } = openAt({ windowsMax: 10 })
    const flood = () => {
      let served = 0
      for (let name = 0; name < 50_000; name += 1) {
        if (windows.take(`2001:db8:${name}`, 3).allowed) served += 1
      }
      return served
    }
    const most = (10 + limits.rateWindowsSharedMax) * 3
    expect(flood() + flood() + flood()).toBeLessThanOrEqual(most)
    expect(flood()).toBe(0)
    time.now += WINDOW
    expect(flood()).toBeLessThanOrEqual(most)
  })

  test('a name counted with others is not given a window of its own before theirs has ended', () => {
    const { windows, time, times } = openAt({ windowsMax: 1 })
    windows.take('first', 3)
    time.now += WINDOW - 1
    expect(times(9, 'second', 3)).toBe(3)
    time.now += 1
    expect(times(9, 'second', 3)).toBe(0)
    time.now += WINDOW - 1
    expect(times(9, 'second', 3)).toBe(3)
  })

  test('takes over what others say without forgetting whom it counts together', () => {
    const { windows, times } = openAt({ windowsMax: 0 })
    expect(times(5, 'a', 9)).toBe(5)
    windows.adopt('a', { taken: 7, leftMilliseconds: 2 * WINDOW })
    windows.adopt('a', { taken: 1, leftMilliseconds: 9 * WINDOW })
    expect(times(9, 'a', 9)).toBe(2)
    windows.adopt('another', { taken: 4, leftMilliseconds: 1_000 })
    expect(times(9, 'another', 9)).toBe(5)
  })

  test('makes room as soon as its windows have ended', () => {
    const { windows, time, times } = openAt({ windowsMax: 2 })
    windows.take('a', 1)
    windows.take('b', 1)
    time.now += WINDOW
    expect([times(1, 'c', 1), times(1, 'd', 1)]).toEqual([1, 1])
  })
})
