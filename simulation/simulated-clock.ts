import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Steps } from './steps.ts'

/** Time that passes only when the world says so. */
export interface WorldTime {
  now(): number
  advance(milliseconds: number): void
}

/** A date like any other; nothing of the service may depend on it. */
const BEGINNING = Date.UTC(2027, 0, 1)

export function openWorldTime(): WorldTime {
  let now = BEGINNING
  return {
    now: () => now,
    advance: (milliseconds) => {
      now += milliseconds
    },
  }
}

/** The clock of one life of an instance: a sleep ends when its time has come and the world takes that step. */
export function openSimulatedClock(actor: string, time: WorldTime, steps: Steps): Clock {
  return {
    nowMilliseconds: time.now,
    sleep: (milliseconds, signal) =>
      steps.ask<void>({
        actor,
        kind: 'timer',
        label: '',
        effect: () => undefined,
        notBefore: time.now() + milliseconds,
        signal,
      }),
  }
}
