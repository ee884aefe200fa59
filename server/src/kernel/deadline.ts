import type { Clock } from './clock.ts'

/** One moment that ends several waits. */
export interface Deadline {
  /** What the work gives, or undefined once the deadline has passed: then no work is begun, and what is under way is left to itself. */
  within<Value>(work: () => Promise<Value>): Promise<Value | undefined>
  /** Nobody waits any more: the timer ends. */
  end(): void
}

/** Begins now. */
export function openDeadline(clock: Pick<Clock, 'sleep'>, seconds: number): Deadline {
  const ended = new AbortController()
  let isOver = false
  const over = clock.sleep(seconds * 1000, ended.signal).then(() => {
    isOver = true
    return undefined
  })
  return {
    within: async (work) => (isOver ? undefined : await Promise.race([work(), over])),
    end: () => ended.abort(),
  }
}
