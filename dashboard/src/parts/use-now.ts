import { useSyncExternalStore } from 'react'

interface Clock {
  readonly subscribe: (changed: () => void) => () => void
  /** When it was looked at last, Unix milliseconds. */
  readonly now: () => number
}

/** One timer for all that look at it: a list of a thousand rows has a thousand times in it. */
function openClock(everySeconds: number): Clock {
  const watchers = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  let at = Date.now()
  const tick = () => {
    at = Date.now()
    for (const changed of watchers) changed()
  }
  return {
    subscribe: (changed) => {
      watchers.add(changed)
      if (timer === undefined) {
        at = Date.now()
        timer = setInterval(tick, everySeconds * 1_000)
      }
      return () => {
        watchers.delete(changed)
        if (watchers.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    now: () => at,
  }
}

const seconds = openClock(1)
const tenSeconds = openClock(10)

/** The time, looked at again every second. Unix milliseconds. */
export function useNow(): number {
  return useSyncExternalStore(seconds.subscribe, seconds.now)
}

/** What is said of the time, looked at again every ten seconds: whoever says it is drawn again only where that changed. */
export function useSaidOfNow(say: (nowMilliseconds: number) => string): string {
  return useSyncExternalStore(tenSeconds.subscribe, () => say(Date.now()))
}
