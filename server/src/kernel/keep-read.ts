import type { Clock } from './clock.ts'

/**
 * Reads what a name stands for at most once per lifetime, however many ask; who asks while it is read shares the read. A read that failed is
 * not kept. Of more names than `keptMax` the oldest are forgotten.
 */
export function keepRead<Value>({
  clock,
  keptMax,
}: {
  readonly clock: Clock
  readonly keptMax: number
}): (
  name: string,
  lifetimeSeconds: number,
  read: (nowMilliseconds: number) => Promise<Value>,
) => Promise<Value> {
  const kept = new Map<
    string,
    { readonly atMilliseconds: number; readonly value: Promise<Value> }
  >()
  return async (name, lifetimeSeconds, read) => {
    const now = clock.nowMilliseconds()
    const known = kept.get(name)
    const age = known === undefined ? -1 : now - known.atMilliseconds
    if (known !== undefined && age >= 0 && age < lifetimeSeconds * 1000) return known.value
    const entry = { atMilliseconds: now, value: read(now) }
    kept.delete(name)
    kept.set(name, entry)
    const [oldest] = kept.keys()
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest)
    return entry.value.catch((error: unknown) => {
      if (kept.get(name) === entry) kept.delete(name)
      throw error
    })
  }
}
