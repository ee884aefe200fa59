import type { Clock } from '../kernel/clock.ts'

/** A clock that stands still until a test moves it; who sleeps wakes when its time has come or its signal aborts. */
export interface HandClock extends Clock {
  pass(milliseconds: number): Promise<void>
}

export function handClock(): HandClock {
  let now = 1_790_000_000_000
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  return {
    nowMilliseconds: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          at: now + milliseconds,
          wake: () => {
            sleepers.delete(sleeper)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', sleeper.wake, { once: true })
      }),
    pass: async (milliseconds) => {
      now += milliseconds
      for (const sleeper of [...sleepers]) if (sleeper.at <= now) sleeper.wake()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
