import type { Scope, Store, Tx } from '@florin/server/store/postgres.ts'

/** A real database transaction whose end is decided from outside. */
export interface OpenTransaction {
  readonly tx: Tx
  /** Throws what the real commit threw. */
  commit(): Promise<void>
  rollback(): Promise<void>
}

const ROLLED_BACK = new Error('rolled back on purpose')

/** Begins a transaction in the real store and keeps it open. */
export async function beginTransaction(store: Store, scope: Scope): Promise<OpenTransaction> {
  const opened = Promise.withResolvers<Tx>()
  const end = Promise.withResolvers<void>()
  const over = store.inTransaction(scope, async (tx) => {
    opened.resolve(tx)
    await end.promise
  })
  // Whoever ends it hears of the failure; a transaction that never began is told by `opened`.
  over.catch(opened.reject)
  const tx = await opened.promise
  return {
    tx,
    commit: () => {
      end.resolve()
      return over
    },
    rollback: async () => {
      end.reject(ROLLED_BACK)
      await over.catch((error: unknown) => {
        if (error !== ROLLED_BACK) throw error
      })
    },
  }
}
