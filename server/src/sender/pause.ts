import type { Clock } from '../kernel/clock.ts'
import { hasLeft } from '../kernel/has-left.ts'

/** What comes between two looks at the same thing. */
export interface Pause {
  /** True before it began for the first time, too. */
  isOver(): boolean
  begin(): void
}

/** A pause of one length, which is over when the clock was set back. */
export function openPause(
  clock: Pick<Clock, 'nowMilliseconds'>,
  lengthMilliseconds: number,
): Pause {
  let until = 0
  return {
    isOver: () => !hasLeft(until, clock.nowMilliseconds(), lengthMilliseconds),
    begin: () => {
      until = clock.nowMilliseconds() + lengthMilliseconds
    },
  }
}
