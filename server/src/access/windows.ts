import { crc32 } from 'node:zlib'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'

/** What became of one request, and where its window stands. */
export interface Taken {
  readonly allowed: boolean
  /** Requests that the window has left. */
  readonly remaining: number
  readonly nowMilliseconds: number
  /** From then on the next request opens a new window. */
  readonly resetAtMilliseconds: number
}

/** Fixed windows of limits.rateWindowSeconds, one per name, each starting at its first request. */
export interface Windows {
  /** Counts a request, unless its window has had `limit` of them. A refused request changes nothing. */
  take(name: string, limit: number): Taken
  /** Where a window stands, without counting; undefined when none is open. */
  look(name: string): { readonly taken: number; readonly resetAtMilliseconds: number } | undefined
  /** Takes one request back, if its window is still open. */
  giveBack(name: string): void
  /** Goes on where somebody else's window of that name stands. */
  adopt(name: string, window: { readonly taken: number; readonly leftMilliseconds: number }): void
}

interface Window {
  taken: number
  endsAt: number
}

const LENGTH_MILLISECONDS = limits.rateWindowSeconds * 1000
/** Two ends that lie no further apart are one, seen after journeys of different lengths. */
const SAME_WINDOW_MILLISECONDS = 1_000

/**
 * Windows in the memory of this instance: 0.08 us per request and 90 bytes per window. An open window is never thrown out, so nobody gets a
 * new one by filling the table: when it is full, new names share limits.rateWindowsSharedMax windows between them.
 */
export function openWindows({
  clock,
  windowsMax = limits.rateWindowsMax,
}: {
  readonly clock: Clock
  readonly windowsMax?: number
}): Windows {
  /** In the order in which they were opened, which is the order in which they end, but for adopted ones. */
  const own = new Map<string, Window>()
  const shared = new Map<number, Window>()
  let seenAtMilliseconds = clock.nowMilliseconds()
  let elapsed = 0

  /** Time that only runs forward: a clock that was set back must not make a window longer. */
  function advance(): number {
    const now = clock.nowMilliseconds()
    elapsed += Math.max(0, now - seenAtMilliseconds)
    seenAtMilliseconds = now
    return now
  }

  const isOpen = (window: Window | undefined): window is Window =>
    window !== undefined && window.endsAt > elapsed

  function find(name: string): Window | undefined {
    const mine = own.get(name)
    if (isOpen(mine)) return mine
    // Whoever was counted together with others stays there until that window ends.
    const ours = shared.size === 0 ? undefined : shared.get(slotOf(name))
    return isOpen(ours) ? ours : undefined
  }

  function open(name: string): Window {
    own.delete(name)
    for (const [oldest, window] of own) {
      if (isOpen(window)) break
      own.delete(oldest)
    }
    const window = { taken: 0, endsAt: elapsed + LENGTH_MILLISECONDS }
    if (own.size < windowsMax) own.set(name, window)
    else shared.set(slotOf(name), window)
    return window
  }

  return {
    take: (name, limit) => {
      const nowMilliseconds = advance()
      const window = find(name) ?? open(name)
      const allowed = window.taken < limit
      if (allowed) window.taken += 1
      return {
        allowed,
        remaining: Math.max(0, limit - window.taken),
        nowMilliseconds,
        resetAtMilliseconds: nowMilliseconds + window.endsAt - elapsed,
      }
    },
    look: (name) => {
      const nowMilliseconds = advance()
      const window = find(name)
      return (
        window && {
          taken: window.taken,
          resetAtMilliseconds: nowMilliseconds + window.endsAt - elapsed,
        }
      )
    },
    giveBack: (name) => {
      advance()
      const window = find(name)
      if (window !== undefined && window.taken > 0) window.taken -= 1
    },
    adopt: (name, { taken, leftMilliseconds }) => {
      advance()
      const endsAt = elapsed + leftMilliseconds
      const known = find(name)
      const isShared = known !== undefined && known !== own.get(name)
      const isNew =
        known === undefined || (!isShared && endsAt - known.endsAt >= SAME_WINDOW_MILLISECONDS)
      if (isNew) {
        Object.assign(open(name), { taken, endsAt })
      } else {
        // Answers overtake each other: of the same window the highest count is the latest.
        known.taken = Math.max(known.taken, taken)
        known.endsAt = Math.max(known.endsAt, endsAt)
      }
    },
  }
}

function slotOf(name: string): number {
  return crc32(name) % limits.rateWindowsSharedMax
}
