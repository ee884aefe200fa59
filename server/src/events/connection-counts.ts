import { Refusal } from '@florin/wire/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import type { AccountId } from '../kernel/id.ts'
import type { SocketPlan } from './stream-deps.ts'

/** How many connections each account has on this instance. */
export interface ConnectionCounts {
  /** One more. Gives the way to count it out again. @throws {Refusal} CONNECTION_LIMIT */
  take(caller: Caller, plan: SocketPlan): () => void
}

export function openConnectionCounts(): ConnectionCounts {
  const counts = new Map<AccountId, number>()
  return {
    take: ({ accountId, plan }, { sockets }) => {
      const count = counts.get(accountId) ?? 0
      if (sockets !== null && count >= sockets) {
        throw new Refusal('CONNECTION_LIMIT', {
          details: { connections: `${sockets} at once on the plan ${plan}` },
          retryAfterSeconds: 1,
        })
      }
      counts.set(accountId, count + 1)
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        const left = (counts.get(accountId) ?? 1) - 1
        if (left === 0) counts.delete(accountId)
        else counts.set(accountId, left)
      }
    },
  }
}
