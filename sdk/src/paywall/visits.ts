import { isObject } from '../is-object.ts'
import { limits } from '../limits.ts'
import type { HeldAnswer } from './held.ts'
import type { Paid } from './price.ts'

/** An answer that its buyer has not got: it waits for the settlement, or for the buyer. */
export interface Owed {
  /** The header that the buyer paid with, and what it asked for: the answer is for both. */
  readonly header: string
  readonly method: string
  readonly resource: string
  readonly answer: HeldAnswer
  /** Base units to take. */
  readonly amount: string
  /** Set once they were taken. */
  readonly taken: { readonly paid: Paid; readonly response: object } | undefined
}

/** The authorizations of `upto` that this process serves or has served. A restart forgets them; the service does not settle one twice. */
export interface Visits {
  /** False when one is being served. From then on it is, until it ends. */
  begin(key: string): boolean
  end(key: string): void
  owed(key: string): Owed | undefined
  owe(key: string, owed: Owed): void
  /** The payment of one that was delivered for, null when the service named none; undefined when it was not. */
  done(key: string): string | null | undefined
  finish(key: string, paymentId: string | null): void
  /** Nothing was taken and nothing is owed. */
  forget(key: string): void
}

export function visitsInMemory(keptBytesMax: number = limits.paywallKeptBytesMax): Visits {
  const running = new Set<string>()
  const waiting = new Map<string, Owed>()
  const delivered = new Map<string, string | null>()
  let kept = 0
  const forget = (key: string) => {
    kept -= waiting.get(key)?.answer.length ?? 0
    waiting.delete(key)
  }
  const finish = (key: string, paymentId: string | null) => {
    forget(key)
    delivered.set(key, paymentId)
    const [oldest] = delivered.keys()
    if (delivered.size > limits.paywallDeliveriesMax && oldest !== undefined) {
      delivered.delete(oldest)
    }
  }
  return {
    begin(key) {
      if (running.has(key)) return false
      running.add(key)
      return true
    },
    end: (key) => void running.delete(key),
    owed: (key) => waiting.get(key),
    owe(key, owed) {
      forget(key)
      waiting.set(key, owed)
      kept += owed.answer.length
      for (const [oldest, { taken }] of waiting) {
        if (kept <= keptBytesMax && waiting.size <= limits.paywallDeliveriesMax) break
        if (oldest !== key) finish(oldest, taken?.paid.paymentId ?? null)
      }
    },
    done: (key) => delivered.get(key),
    finish,
    forget,
  }
}

/** What an authorization of Permit2 can be used once under: its network, owner and nonce. Undefined when it is none. */
export function visitOf(payload: Readonly<Record<string, unknown>>): string | undefined {
  const { payload: inner, accepted } = payload
  const authorization = isObject(inner) ? inner['permit2Authorization'] : undefined
  if (!isObject(authorization) || !isObject(accepted)) return undefined
  const { from, nonce } = authorization
  if (typeof from !== 'string' || !/^0x[0-9a-f]{40}$/i.test(from)) return undefined
  if (typeof nonce !== 'string' || !/^\d{1,78}$/.test(nonce)) return undefined
  return `${String(accepted['network'])} ${from.toLowerCase()} ${BigInt(nonce)}`
}
