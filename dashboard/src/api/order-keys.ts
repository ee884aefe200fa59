import { ApiError } from './api-error.ts'
import { newKey } from './api.ts'

/** Idempotency keys of a form: the same order keeps its key until what became of it is known. */
export interface OrderKeys {
  /** The key that this order would be sent with. */
  keyOf(order: object): string
  /** The same, for an order that is sent now: after a lost answer it stays, so that a second press is the same payment. */
  send(order: object): string
  /** The service said what became of the order: the same order again is a new one. */
  done(order: object): void
  /** The service or nobody answered so; only what it has decided ends the order. */
  failed(order: object, error: unknown): void
}

/** Remembers every order that was sent and not decided, as long as the form is open. Typing costs nothing: one key waits for the next. */
export function openOrderKeys(): OrderKeys {
  const sent = new Map<string, string>()
  let next = newKey()
  const done = (order: object) => {
    sent.delete(JSON.stringify(order))
  }
  return {
    keyOf: (order) => sent.get(JSON.stringify(order)) ?? next,
    send: (order) => {
      const text = JSON.stringify(order)
      const known = sent.get(text)
      if (known !== undefined) return known
      const key = next
      sent.set(text, key)
      next = newKey()
      return key
    },
    done,
    failed: (order, error) => {
      if (error instanceof ApiError && isDecided(error)) done(order)
    },
  }
}

/**
 * Refused, or failed for good. A conflict, a limit and a fault of the service leave open what becomes of the order; and who asks is looked at
 * before the order's key, so that a session that is over, or may less by now, says nothing of an order that was sent before.
 */
const UNDECIDED: ReadonlySet<number> = new Set([401, 403, 404, 409])

function isDecided({ status }: ApiError): boolean {
  return status >= 400 && status < 429 && !UNDECIDED.has(status)
}
