import type { Clock } from '../kernel/clock.ts'
import { openPause } from './pause.ts'

/** Work beside the rounds of a driver: how long a node takes over it keeps nobody from following. */
export interface Beside {
  /** Begins it, unless the last of it is under way or has only just ended. */
  begin(work: () => Promise<unknown>): void
  /** Resolves when nothing of it is under way. */
  ended(): Promise<void>
}

/** One at a time, with a pause after each; `failed` hears of what was thrown. */
export function openBeside(
  clock: Pick<Clock, 'nowMilliseconds'>,
  pauseMilliseconds: number,
  failed: (error: unknown) => void,
): Beside {
  const pause = openPause(clock, pauseMilliseconds)
  let underWay: Promise<void> | undefined
  return {
    begin: (work) => {
      if (!pause.isOver()) return
      underWay ??= work()
        .then(() => undefined, failed)
        .finally(() => {
          pause.begin()
          underWay = undefined
        })
    },
    ended: async () => {
      await underWay
    },
  }
}
