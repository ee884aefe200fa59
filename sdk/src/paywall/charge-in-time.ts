import type { Clock } from '../clock.ts'
import type { Charged } from './charge.ts'

/** Why nothing has gone out for money that was taken. */
export const TOO_LATE = 'the settlement came after the buyer was told to ask again'

/** A settlement under way. */
export interface Charging {
  /** What became of it; `pending` for whoever has waited too long, while the settlement goes on. */
  wait(): Promise<Charged>
  /** Whether it goes on, whoever has stopped waiting for it. */
  isUnderWay(): boolean
}

/** Whom a settlement is told to. Neither throws. */
export interface ChargeEnds {
  /** It has come when nobody waited any more. Whoever asks meanwhile waits for this, too. */
  missed(charged: Charged): Promise<void>
  /** It is over, and whoever waited is about to hear. */
  over(): void
}

/** Lets a settlement be waited for, and not for ever: each wait ends after `waitMilliseconds`. Each outcome is heard: by who waits, or else by `missed`. */
export function chargeInTime(
  charge: Promise<Charged>,
  clock: Clock,
  { missed, over }: ChargeEnds,
  waitMilliseconds: number,
): Charging {
  const waiting = new Set<(charged: Charged) => void>()
  let hasCome = false
  const heard = charge.then(async (charged) => {
    hasCome = true
    if (waiting.size === 0) await missed(charged)
    over()
    for (const answer of waiting) answer(charged)
    return charged
  })
  return {
    isUnderWay: () => !hasCome,
    wait() {
      if (hasCome) return heard
      return new Promise((resolve) => {
        const isOver = new AbortController()
        const answer = (charged: Charged) => {
          waiting.delete(answer)
          isOver.abort()
          resolve(charged)
        }
        waiting.add(answer)
        void clock.sleep(waitMilliseconds, isOver.signal).then(() => {
          if (waiting.delete(answer)) resolve({ kind: 'pending', wasLost: false })
        })
      })
    },
  }
}
