import { setTimeout as delay } from 'node:timers/promises'
import { oneAtATime } from '../host/one-at-a-time.ts'

const DRAIN_MILLISECONDS = 1_000

/** Keeps callers out of the node while its chain is being changed: many callers, or one change. */
export interface Traffic {
  /** Runs a caller's work, after a change that is under way. */
  pass<T>(work: () => Promise<T>): Promise<T>
  /** Runs a change alone: waits (bounded) for callers inside, holds new ones back. Changes run one by one. */
  change<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Reads that arrive while anvil mines can be answered "block out of range" about a block that exists. Callers that
 * stay inside longer than the bound (a trace, a dead connection) do not stop the chain.
 */
export function openTraffic(): Traffic {
  const inTurn = oneAtATime()
  let inside = 0
  let gate: Promise<void> | undefined
  let whenEmpty: (() => void) | undefined

  const drained = async (): Promise<void> => {
    if (inside === 0) return
    const { promise: empty, resolve } = Promise.withResolvers<void>()
    whenEmpty = resolve
    const timer = new AbortController()
    const bound = delay(DRAIN_MILLISECONDS, undefined, { signal: timer.signal })
    await Promise.race([empty, bound.catch(() => undefined)])
    timer.abort()
    whenEmpty = undefined
  }

  return {
    async pass(work) {
      while (gate !== undefined) await gate
      inside += 1
      try {
        return await work()
      } finally {
        inside -= 1
        if (inside === 0) whenEmpty?.()
      }
    },
    async change(work) {
      return await inTurn(async () => {
        const { promise, resolve: open } = Promise.withResolvers<void>()
        gate = promise
        try {
          await drained()
          return await work()
        } finally {
          gate = undefined
          open()
        }
      })
    },
  }
}
