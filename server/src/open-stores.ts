import { availableParallelism } from 'node:os'
import { watchOutbox } from './events/outbox-watch.ts'
import { limits } from './kernel/limits.ts'
import type { Log } from './kernel/log.ts'
import type { Secret } from './kernel/secret.ts'
import { ownConnectionsAtWork } from './store/connections-at-work.ts'
import { openStore } from './store/postgres.ts'
import type { PooledStore, PoolFigures } from './store/postgres.ts'

/** The database, asked over two sets of connections. */
export interface Stores {
  /** For what callers ask. */
  readonly store: PooledStore
  /**
   * For what goes on whoever asks: following chains, numbering events, health and metrics. With one set for both, 4,000 callers at once kept the
   * followers from a whole round for more than 15 s: nothing was confirmed, and the service called itself not ready.
   */
  readonly ownStore: PooledStore
  /** Of both together. */
  pool(): PoolFigures
  close(): Promise<void>
}

/** Opens both. `onAdded`: a transaction that added to the outbox was committed. */
export function openStores({
  onAdded,
  ...access
}: {
  readonly url: Secret
  readonly log: Log
  readonly onAdded: () => void
}): Stores {
  const connectionsMax = limits.databaseOwnConnectionsMax
  const atWork = ownConnectionsAtWork(access.url.reveal(), availableParallelism())
  const store = watchOutbox(openStore(access), onAdded)
  const ownStore = watchOutbox(openStore({ ...access, connectionsMax, atWork }), onAdded)
  return {
    store,
    ownStore,
    pool: () => {
      const [asked, own] = [store.pool(), ownStore.pool()]
      return {
        total: asked.total + own.total,
        idle: asked.idle + own.idle,
        waiting: asked.waiting + own.waiting,
      }
    },
    close: async () => {
      await store.close()
      await ownStore.close()
    },
  }
}
