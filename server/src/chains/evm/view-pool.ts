import { NodeFailure } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { readViews } from './multicall.ts'
import type { View } from './multicall.ts'

/** Views in one `eth_call`: some 10,000 gas each, far below what any node allows a call. */
const VIEWS_PER_CALL_MAX = 200
/** Calls under way at once. What is asked meanwhile waits and shares the next: two keep the node busy. */
const CALLS_MAX = 2
/** Askers that may wait for their turn. */
const WAITING_MAX = 10_000

/** Reads views of whoever asks at the same moment in shared calls. */
export interface ViewPool {
  /** One value per view, all of one asker at one block. Throws NodeFailure. */
  read(views: readonly View[]): Promise<readonly bigint[]>
}

interface Asker {
  readonly views: readonly View[]
  resolve(values: readonly bigint[]): void
  reject(error: unknown): void
}

/**
 * Only views may share a call: each with its own `absent` value, so that one asker's failing view spoils nobody else's answer, and
 * none that runs code of a payer's choice.
 */
export function openViewPool(transport: Pick<Transport, 'read'>): ViewPool {
  const waiting: Asker[] = []
  let calls = 0
  let scheduled = false

  function flush(): void {
    scheduled = false
    while (waiting.length > 0 && calls < CALLS_MAX) {
      const askers = takeSome(waiting)
      calls += 1
      // Each asker is told, and nothing else depends on it.
      void ask(askers).finally(() => {
        calls -= 1
        flush()
      })
    }
  }

  async function ask(askers: readonly Asker[]): Promise<void> {
    try {
      const values = await transport.read(readViews(askers.flatMap(({ views }) => views)))
      let at = 0
      for (const asker of askers) {
        asker.resolve(values.slice(at, at + asker.views.length))
        at += asker.views.length
      }
    } catch (error) {
      for (const asker of askers) asker.reject(error)
    }
  }

  return {
    read: (views) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= WAITING_MAX) {
          reject(new NodeFailure('too many verifications wait for the node'))
          return
        }
        waiting.push({ views, resolve, reject })
        if (scheduled) return
        scheduled = true
        // After this turn of the loop: requests that arrived in one packet are asked together.
        setImmediate(flush)
      }),
  }
}

function takeSome(waiting: Asker[]): readonly Asker[] {
  let views = 0
  let count = 0
  for (const asker of waiting) {
    if (count > 0 && views + asker.views.length > VIEWS_PER_CALL_MAX) break
    views += asker.views.length
    count += 1
  }
  return waiting.splice(0, count)
}
