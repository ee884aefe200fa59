import { catalogue, Refusal } from '@florin/wire/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import { StoreUnavailable } from '../store/postgres.ts'

/** What the service says on a socket beside events. */
export const said = {
  authenticated: ({ accountId, plan }: Caller, nowMilliseconds: number) =>
    JSON.stringify({ type: 'authenticated', userId: accountId, plan, timestamp: nowMilliseconds }),
  subscribed: (keys: readonly string[], cursor: string | null, nowMilliseconds: number) =>
    JSON.stringify({ type: 'subscribed', keys, cursor, timestamp: nowMilliseconds }),
  unsubscribed: (keys: readonly string[], nowMilliseconds: number) =>
    JSON.stringify({ type: 'unsubscribed', keys, timestamp: nowMilliseconds }),
  pong: (nowMilliseconds: number) => JSON.stringify({ type: 'pong', timestamp: nowMilliseconds }),
  error: (refusal: Refusal, baseUrl: string, nowMilliseconds: number) =>
    JSON.stringify({
      type: 'error',
      data: {
        code: refusal.code,
        message: refusal.message,
        ...(refusal.details === undefined ? {} : { details: refusal.details }),
        ...(refusal.retryAfterSeconds === undefined
          ? {}
          : { retryAfter: refusal.retryAfterSeconds }),
        next: catalogue[refusal.code].next,
        docs: `${baseUrl}/docs/errors/${refusal.code}`,
      },
      timestamp: nowMilliseconds,
    }),
} as const

/** What may be said about something that was thrown; undefined: nobody foresaw it. */
export function refusalFrom(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  return error instanceof StoreUnavailable
    ? new Refusal('NETWORK_ERROR', { details: { service: 'database' }, retryAfterSeconds: 1 })
    : undefined
}
