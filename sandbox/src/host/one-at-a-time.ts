/** Runs work in the order it was handed in, each after the one before it ended, failed or not. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve()
  return async (work) => {
    const turn = tail.then(work)
    tail = turn.catch(() => undefined)
    return await turn
  }
}
