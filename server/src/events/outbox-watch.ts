import type { Store } from '../store/postgres.ts'
import { CommitUnknown } from '../store/postgres.ts'
import { OUTBOX_ADD } from './store.ts'

/**
 * The same store, which says when a transaction that added to the outbox has been committed. So no writer notifies: a notification
 * inside their transactions would make all commits of the database wait for each other (PostgreSQL holds one lock for it over the commit).
 */
export function watchOutbox<Watched extends Store>(store: Watched, onAdded: () => void): Watched {
  return {
    ...store,
    inTransaction: async (scope, work) => {
      let added = false
      try {
        const result = await store.inTransaction(scope, (tx) =>
          work({
            query: (name, text, values) => {
              if (name === OUTBOX_ADD) added = true
              return tx.query(name, text, values)
            },
          }),
        )
        if (added) onAdded()
        return result
      } catch (error) {
        if (added && error instanceof CommitUnknown) onAdded()
        throw error
      }
    },
  }
}
