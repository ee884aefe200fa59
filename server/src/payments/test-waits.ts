import type { Waits } from './wait.ts'

/** Waits that are over at once: what is asked for is read as it is, and nobody is told of a change. */
export const noWaits: Pick<Waits, 'look' | 'hold' | 'listen'> = {
  look: (_id, read) => read(false),
  hold: () => () => undefined,
  listen: () => ({ hasChanged: () => false, end: () => undefined }),
}
