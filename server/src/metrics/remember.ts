import type { Clock } from '../kernel/clock.ts'
import { hasLeft } from '../kernel/has-left.ts'

/**
 * Reads something at most once per lifetime, however many ask. A read that fails, or takes longer than `seconds`, is undefined: it is
 * not repeated before its lifetime is over either, because whoever asks while a part is away must not make it worse.
 */
export function remember<T>(options: {
  readonly clock: Clock
  readonly lifetimeMilliseconds: number
  readonly seconds: number
  read(): Promise<T>
}): () => Promise<T | undefined> {
  const { clock, lifetimeMilliseconds, seconds, read } = options
  let kept: { value: Promise<T | undefined>; untilMilliseconds: number } | undefined
  let reading: Promise<T | undefined> | undefined

  async function readInTime(): Promise<T | undefined> {
    // One that is still under way is waited for again, never joined by a second one.
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    const finished = new AbortController()
    const late = clock.sleep(seconds * 1000, finished.signal).then(() => undefined)
    try {
      return await Promise.race([reading, late])
    } finally {
      finished.abort()
    }
  }

  return () => {
    const now = clock.nowMilliseconds()
    if (kept === undefined || !hasLeft(kept.untilMilliseconds, now, lifetimeMilliseconds)) {
      kept = { value: readInTime(), untilMilliseconds: now + lifetimeMilliseconds }
    }
    return kept.value
  }
}
