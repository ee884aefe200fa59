/** Time, handed in so that tests can own it. */
export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number
  /** Resolves after the given time, or at once when the signal aborts. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Calls back once after the given time; the function it gives takes that back. */
  after(milliseconds: number, call: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      if (signal?.aborted === true) end()
      else signal?.addEventListener('abort', end)
    }),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds)
    return () => clearTimeout(timer)
  },
}
