import { ApiError } from './api-error.ts'
import { newKey } from './api.ts'

/** Orders that a form has shown and not finished: more are forgotten, oldest first. */
const ORDERS_MAX = 50

/** Idempotency keys of a form: the same order keeps its key until what became of it is known. */
export interface OrderKeys {
  /** The key to send this order with. After a lost answer it is the same, so that a second press is the same payment. */
  keyOf(order: object): string
  /** The service said what became of the order: the same order again is a new one. */
  done(order: object): void
  /** The service or nobody answered so; only what it has decided ends the order. */
  failed(order: object, error: unknown): void
}

export function openOrderKeys(): OrderKeys {
  const keys = new Map<string, string>()
  const done = (order: object) => {
    keys.delete(JSON.stringify(order))
  }
  return {
    keyOf: (order) => {
      const text = JSON.stringify(order)
      const key = keys.get(text) ?? newKey()
      keys.set(text, key)
      const [oldest] = keys.keys()
      if (keys.size > ORDERS_MAX && oldest !== undefined) keys.delete(oldest)
      return key
    },
    done,
    failed: (order, error) => {
      if (error instanceof ApiError && isDecided(error)) done(order)
    },
  }
}

/** Refused, or failed for good. A conflict, a limit and a fault of the service leave open what becomes of the order. */
function isDecided({ status }: ApiError): boolean {
  return status >= 400 && status < 429 && status !== 409
}
