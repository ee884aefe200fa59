import { limits } from '../limits.ts'
import type { Charged } from './charge.ts'

/** The payments of which an answer of the service was lost: a later "used before" may mean that one. */
export interface LostAnswers {
  has(header: string): Promise<boolean>
  note(header: string, charged: Charged): Promise<void>
}

/**
 * The newest ones; a restart forgets them. While answers are lost nobody can tell payments from what strangers make up, so
 * there is room for many: each takes as much as a digest, however long its header is.
 */
export function lostAnswers(entriesMax: number = limits.paywallLostAnswersMax): LostAnswers {
  const digests = new Set<string>()
  return {
    async has(header) {
      return digests.size > 0 && digests.has(await digestOf(header))
    },
    async note(header, charged) {
      if (charged.kind !== 'pending' && charged.kind !== 'unavailable') return
      if (!charged.wasLost) return
      const digest = await digestOf(header)
      // Shown again it is new again.
      digests.delete(digest)
      digests.add(digest)
      const [oldest] = digests
      if (digests.size > entriesMax && oldest !== undefined) digests.delete(oldest)
    },
  }
}

async function digestOf(header: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(header))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
