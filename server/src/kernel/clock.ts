import { setTimeout as delay } from 'node:timers/promises'

/** Time, handed in so that tests can own it. Chain time is a different thing and comes from blocks. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMilliseconds(): number
  /** Resolves after the given time, or at once when the signal aborts. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  nowMilliseconds: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await delay(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined)
  },
}
