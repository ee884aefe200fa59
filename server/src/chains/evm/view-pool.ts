import type { Clock } from '../../kernel/clock.ts'
import { NodeFailure } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { readViewsAt } from './multicall.ts'
import type { View } from './multicall.ts'

/** Views in one `eth_call`: some 10,000 gas each, far below what any node allows a call. */
const VIEWS_PER_CALL_MAX = 200
/** Calls under way at once. What is asked meanwhile waits and shares the next: a slow call holds nobody up. */
const CALLS_MAX = 2
/** Between the beginnings of two calls: what is asked meanwhile shares the second. Who asks alone never waits for it. */
const PAUSE_MILLISECONDS = 10
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
 * none that runs code of a payer's choice. Which block they are read at is found once for each call.
 */
export function openViewPool(
  transport: Pick<Transport, 'read'>,
  clock: Pick<Clock, 'sleep'>,
  block: () => Promise<string> = async () => 'latest',
): ViewPool {
  const waiting: Asker[] = []
  let calls = 0
  let scheduled = false
  let isPausing = false

  function flush(): void {
    scheduled = false
    if (waiting.length === 0 || calls >= CALLS_MAX || isPausing) return
    calls += 1
    isPausing = true
    void clock.sleep(PAUSE_MILLISECONDS).then(() => {
      isPausing = false
      flush()
    })
    // Each asker is told, and nothing else depends on it.
    void ask(takeSome(waiting)).finally(() => {
      calls -= 1
      flush()
    })
  }

  async function ask(askers: readonly Asker[]): Promise<void> {
    try {
      // What several ask is asked once: the time of the block, above all.
      const places = new Map<string, number>()
      const views: View[] = []
      const placesOf = askers.map((asker) =>
        asker.views.map((view) => {
          const key = `${view.target} ${view.data} ${view.absent ?? ''}`
          const known = places.get(key)
          if (known !== undefined) return known
          places.set(key, views.length)
          return views.push(view) - 1
        }),
      )
      const values = await transport.read(readViewsAt(views, await block()))
      askers.forEach(({ resolve }, index) =>
        resolve((placesOf[index] ?? []).map((place) => valueAt(values, place))),
      )
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

function valueAt(values: readonly bigint[], place: number): bigint {
  const value = values[place]
  if (value === undefined) throw new Error('a view without a value')
  return value
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
