import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Store } from '../store/postgres.ts'
import { findKeysByDigest } from './store.ts'
import type { FoundKey } from './store.ts'

/** Look-ups of many keys at the price of one query per limits.keyBatchMilliseconds, whoever floods us. */
export interface KeyBatch {
  /** Waits for the next query. Undefined: nobody holds the key, or limits.keyBatchMax others wait. */
  find(digest: Uint8Array): Promise<FoundKey | undefined>
  /** Answers those who wait at once. */
  close(): Promise<void>
}

interface Waiting {
  readonly digest: Uint8Array
  readonly found: PromiseWithResolvers<FoundKey | undefined>
}

export function openKeyBatch({
  store,
  clock,
}: {
  readonly store: Store
  readonly clock: Clock
}): KeyBatch {
  let waiting: Waiting[] = []
  let working: Promise<void> | undefined
  const closing = new AbortController()

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      await clock.sleep(limits.keyBatchMilliseconds, closing.signal)
      const asked = waiting
      waiting = []
      try {
        const digests = asked.map(({ digest }) => digest)
        const keys = await findKeysByDigest(store, digests)
        const byDigest = new Map(keys.map((key) => [nameOf(key.digest), key]))
        for (const { digest, found } of asked) found.resolve(byDigest.get(nameOf(digest)))
      } catch (error) {
        for (const { found } of asked) found.reject(error)
      }
    }
    working = undefined
  }

  return {
    find: async (digest) => {
      if (waiting.length >= limits.keyBatchMax) return undefined
      const found = Promise.withResolvers<FoundKey | undefined>()
      waiting.push({ digest, found })
      working ??= work()
      return found.promise
    },
    close: async () => {
      closing.abort()
      await working
    },
  }
}

function nameOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('latin1')
}
