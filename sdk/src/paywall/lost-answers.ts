import type { Clock } from '../clock.ts'
import { limits } from '../limits.ts'
import type { Charged } from './charge.ts'

/** The payments of which an answer of the service was lost: a later "used before" may mean that one. */
export interface LostAnswers {
  /** When that was found the first time, Unix milliseconds; undefined where none was lost. */
  since(header: string): Promise<number | undefined>
  note(header: string, charged: Charged): Promise<void>
}

/**
 * The newest ones; a restart forgets them. While answers are lost nobody can tell payments from what strangers make up, so
 * there is room for many: each takes as much as a digest, however long its header is.
 */
export function lostAnswers(
  clock: Pick<Clock, 'now'>,
  entriesMax: number = limits.paywallLostAnswersMax,
): LostAnswers {
  const digests = new Map<string, number>()
  return {
    async since(header) {
      return digests.size === 0 ? undefined : digests.get(await digestOf(header))
    },
    async note(header, charged) {
      if (charged.kind !== 'pending' && charged.kind !== 'unavailable') return
      if (!charged.wasLost) return
      const digest = await digestOf(header)
      const since = digests.get(digest) ?? clock.now()
      // Shown again it is among the newest again, and was lost no later for that.
      digests.delete(digest)
      digests.set(digest, since)
      const [oldest] = digests.keys()
      if (digests.size > entriesMax && oldest !== undefined) digests.delete(oldest)
    },
  }
}

async function digestOf(header: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(header))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
