import { performance } from 'node:perf_hooks'
import type { Clock } from './clock.ts'

/** Pieces that wait; one more is not taken. */
const WAITING_MAX = 1_000
/** How often it is looked how much the process has to do. */
const LOOK_MILLISECONDS = 50
/** As much of the time with nothing to do is left to what comes. */
const IDLE_KEPT = 0.1
/** How much of the pieces is taken more or less after a look, for each part of the time that was idle beyond that. */
const STEP = 0.5

/** Does it, and says so; false where it was done already, because somebody needed it. Must not throw. */
export type SparePiece = () => boolean

/** Takes a piece, or says that there is no time for it. */
export type SpareTurns = (piece: SparePiece) => boolean

/** How long the process has worked, and how long it had nothing to do, since some moment. */
export interface Busyness {
  readonly active: number
  readonly idle: number
}

/**
 * Work that is needed in a while, and that somebody else could do as well. All of it is taken while there is time, and less and less of it where the
 * process has hardly any left. One piece is done in each turn of the event loop: where a turn has much else to do that is next to nothing, and where
 * the process would only wait it is all that it does.
 */
export function openSpareTurns(
  clock: Pick<Clock, 'nowMilliseconds'>,
  busyness: () => Busyness = () => performance.eventLoopUtilization(),
): SpareTurns {
  const waiting: SparePiece[] = []
  let isScheduled = false
  let seen = { ...busyness(), atMilliseconds: clock.nowMilliseconds() }
  /** Of all pieces. */
  let part = 1
  let owed = 0

  function look(): void {
    const atMilliseconds = clock.nowMilliseconds()
    const age = atMilliseconds - seen.atMilliseconds
    if (age >= 0 && age < LOOK_MILLISECONDS) return
    const { active, idle } = busyness()
    const idleSince = idle - seen.idle
    const all = active - seen.active + idleSince
    if (all > 0) part = Math.min(1, Math.max(0, part + STEP * (idleSince / all - IDLE_KEPT)))
    seen = { active, idle, atMilliseconds }
  }

  function turn(): void {
    isScheduled = false
    try {
      for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift()) {
        if (piece()) break
      }
    } finally {
      if (waiting.length > 0) schedule()
    }
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(turn)
  }

  return (piece) => {
    look()
    if (waiting.length >= WAITING_MAX) return false
    owed += part
    if (owed < 1) return false
    owed -= 1
    waiting.push(piece)
    schedule()
    return true
  }
}
