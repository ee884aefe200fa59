/** A question that waits for the next statement. */
interface Waiting<Key, Found> {
  readonly key: Key
  readonly resolve: (found: Found | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Reads of one tick, and those that come while others are under way, share one statement; a lone read goes with the end of its
 * tick. For single rows that many callers ask for: a statement for 16 of them costs the service and the database about as much as
 * one for 2.
 * An answer is never older than its question. When a statement fails, everyone who shared it hears the same.
 */
export function shareReads<Key, Found>({
  read,
  underWayMax,
  sharedMax,
}: {
  /** What was found, in the order of the keys; undefined where there is nothing. */
  readonly read: (keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>
  /** Statements at once; what comes meanwhile gathers. */
  readonly underWayMax: number
  /** Keys of one statement. */
  readonly sharedMax: number
}): (key: Key) => Promise<Found | undefined> {
  const waiting: Waiting<Key, Found>[] = []
  let underWay = 0

  async function readNext(): Promise<void> {
    const batch = waiting.splice(0, sharedMax)
    try {
      const found = await read(batch.map(({ key }) => key))
      batch.forEach(({ resolve }, index) => resolve(found[index]))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async function work(): Promise<void> {
    underWay += 1
    while (waiting.length > 0) await readNext()
    underWay -= 1
  }

  let scheduled = false
  function schedule(): void {
    if (scheduled || underWay >= underWayMax) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      void work()
    })
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      schedule()
    })
}
