import type { ServerResponse } from 'node:http'
import type { Clock } from '../kernel/clock.ts'

const PAUSE_MILLISECONDS = 20

/** Knows which requests are in flight, and lets them finish when the service stops. */
export interface Drain {
  /** Aborts when stopping starts. */
  readonly closing: AbortSignal
  /** Counts a request in until its answer is out or its connection gone; `left` is called then. */
  enter(response: ServerResponse, left: () => void): void
  /** Starts stopping, and waits until nothing is in flight, but no longer than this. */
  finish(seconds: number): Promise<void>
}

export function openDrain(clock: Clock): Drain {
  const closing = new AbortController()
  let inFlight = 0
  return {
    closing: closing.signal,
    enter: (response, left) => {
      inFlight += 1
      response.once('close', () => {
        inFlight -= 1
        left()
      })
    },
    finish: async (seconds) => {
      closing.abort()
      const deadline = clock.nowMilliseconds() + seconds * 1000
      while (inFlight > 0 && clock.nowMilliseconds() < deadline) {
        await clock.sleep(PAUSE_MILLISECONDS)
      }
    },
  }
}

/** A signal that aborts when the connection is gone before the whole answer was written. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}
