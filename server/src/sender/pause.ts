import type { Clock } from '../kernel/clock.ts'

/** What comes between two looks at the same thing. */
export interface Pause {
  /** True before it began for the first time, too. */
  isOver(): boolean
  begin(): void
}

/** A pause of one length. With more left than it is long, the clock was set back, and it is over. */
export function openPause(
  clock: Pick<Clock, 'nowMilliseconds'>,
  lengthMilliseconds: number,
): Pause {
  let until = 0
  return {
    isOver: () => {
      const left = until - clock.nowMilliseconds()
      return left <= 0 || left > lengthMilliseconds
    },
    begin: () => {
      until = clock.nowMilliseconds() + lengthMilliseconds
    },
  }
}
