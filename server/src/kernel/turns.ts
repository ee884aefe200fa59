/**
 * Lets so many pieces of work run at once; what comes later waits, and begins in the order in which it came. Work that fails
 * gives its turn back like any other.
 */
export function openTurns(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < max) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // A turn that somebody waits for is handed on: nobody who comes now can slip in between.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
