import type { Clock } from '../kernel/clock.ts'

const WINDOW_MILLISECONDS = 1_000

/** Messages in fixed windows of a second, by name. */
export interface MessageRates {
  /** False: this second had as many as it may. */
  take(name: string, perSecond: number | null): boolean
}

export function openMessageRates(clock: Clock): MessageRates {
  let windows = new Map<string, number>()
  let since = -Infinity
  return {
    take: (name, perSecond) => {
      const now = clock.nowMilliseconds()
      if (now - since >= WINDOW_MILLISECONDS || now < since) {
        since = now
        windows = new Map()
      }
      const taken = (windows.get(name) ?? 0) + 1
      windows.set(name, taken)
      return perSecond === null || taken <= perSecond
    },
  }
}
