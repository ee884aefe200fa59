import { limits } from '../limits.ts'
import type { Charged } from './charge.ts'

/** The payments of which an answer of the service was lost: a later "used before" may mean that one. */
export interface LostAnswers {
  has(header: string): boolean
  note(header: string, charged: Charged): void
}

/** The newest ones; a restart forgets them. */
export function lostAnswers(): LostAnswers {
  const headers = new Set<string>()
  return {
    has: (header) => headers.has(header),
    note(header, charged) {
      if (charged.kind !== 'pending' && charged.kind !== 'unavailable') return
      if (!charged.wasLost) return
      headers.add(header)
      const [oldest] = headers
      if (headers.size > limits.paywallLostAnswersMax && oldest !== undefined) {
        headers.delete(oldest)
      }
    },
  }
}
