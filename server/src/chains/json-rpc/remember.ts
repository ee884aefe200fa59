import type { Clock } from '../../kernel/clock.ts'
import { hasLeft } from '../../kernel/has-left.ts'

export interface MemoryOptions {
  readonly clock: Clock
  /** How long an answer is believed. */
  readonly seconds: number
  readonly entriesMax: number
}

/**
 * Asks once per key and believes the answer for a while. A failure is not kept. Askers at the same time all ask; the transport
 * makes one call of equal reads.
 */
export function remember<Key, Value>(
  { clock, seconds, entriesMax }: MemoryOptions,
  ask: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const known = new Map<Key, { value: Value; untilMilliseconds: number }>()
  return async (key) => {
    const kept = known.get(key)
    const now = clock.nowMilliseconds()
    if (kept !== undefined && hasLeft(kept.untilMilliseconds, now, seconds * 1000))
      return kept.value
    const value = await ask(key)
    known.delete(key)
    known.set(key, { value, untilMilliseconds: clock.nowMilliseconds() + seconds * 1000 })
    for (const oldest of known.keys()) {
      if (known.size <= entriesMax) break
      known.delete(oldest)
    }
    return value
  }
}
