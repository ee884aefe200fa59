/** Time, handed in so that tests can own it. Chain time is a different thing and comes from blocks. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMilliseconds(): number
  /** Resolves after the given time, or at once when the signal aborts. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  nowMilliseconds: () => Date.now(),
  // Without the platform's abortable timers, which make an error with its stack for each sleep that ends early: most do.
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve()
        return
      }
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, milliseconds)
      signal?.addEventListener('abort', wake)
    }),
}
