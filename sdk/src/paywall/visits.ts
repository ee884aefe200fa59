import { isObject } from '../is-object.ts'
import { limits } from '../limits.ts'
import type { Taken } from './hand-over.ts'
import type { HeldAnswer } from './held.ts'

/** An answer that its buyer has not got: it waits for the settlement, or for the buyer. */
export interface Owed {
  /** The header that the buyer paid with, and what it asked for: the answer is for both. */
  readonly header: string
  readonly method: string
  readonly resource: string
  /** Undefined when there was no room for it: then the payment alone is remembered, so that the seller hears of it. */
  readonly answer: HeldAnswer | undefined
  /** Base units to take. */
  readonly amount: string
  /** An answer of the service was lost: the payment may have been taken without anybody knowing. */
  readonly wasLost: boolean
  /** Set once they were taken. */
  readonly taken: Taken | undefined
}

/** The authorizations of `upto` that this process serves or has served. A restart forgets them; the service does not settle one twice. */
export interface Visits {
  /** False when one is being served. From then on it is, until it ends. */
  begin(key: string): boolean
  end(key: string): void
  owed(key: string): Owed | undefined
  /** Keeps an answer. Others make room for it: of those that are paid for the oldest first, because their sellers have heard. */
  owe(key: string, owed: Owed): void
  /** The payment of one that was delivered for, null when the service named none; undefined when it was not. */
  done(key: string): string | null | undefined
  finish(key: string, paymentId: string | null): void
  /** Nothing is owed. */
  forget(key: string): void
}

export function visitsInMemory(keptBytesMax: number = limits.paywallKeptBytesMax): Visits {
  const running = new Set<string>()
  const waiting = new Map<string, Owed>()
  const delivered = new Map<string, string | null>()
  let kept = 0
  const forget = (key: string) => {
    kept -= waiting.get(key)?.answer?.length ?? 0
    waiting.delete(key)
  }
  const set = (key: string, owed: Owed) => {
    forget(key)
    waiting.set(key, owed)
    kept += owed.answer?.length ?? 0
  }
  const finish = (key: string, paymentId: string | null) => {
    forget(key)
    delivered.set(key, paymentId)
    const [oldest] = delivered.keys()
    if (delivered.size > limits.paywallDeliveriesMax && oldest !== undefined) {
      delivered.delete(oldest)
    }
  }
  const makeRoom = (newest: string) => {
    const isFull = () => kept > keptBytesMax || waiting.size > limits.paywallDeliveriesMax
    // Those that somebody waits for now are held by that wait in any case.
    const isFree = (key: string) => key !== newest && !running.has(key)
    for (const [key, { taken }] of isFull() ? [...waiting] : []) {
      if (!isFull()) return
      if (isFree(key) && taken !== undefined) finish(key, taken.paid.paymentId)
    }
    for (const [key, owed] of isFull() ? [...waiting] : []) {
      if (!isFull()) return
      if (!isFree(key)) continue
      if (waiting.size > limits.paywallDeliveriesMax) finish(key, null)
      else set(key, { ...owed, answer: undefined })
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
      set(key, owed)
      makeRoom(key)
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
