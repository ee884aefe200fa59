import type { Store } from './postgres.ts'

/** The same store, which tells the name of each statement of a transaction before it is asked; what is given back is why it is refused. */
export function hearing(store: Store, heard: (name: string) => Error | undefined): Store {
  return {
    ...store,
    inTransaction: (scope, work) =>
      store.inTransaction(scope, (tx) =>
        work({
          query: (name, ...rest) => {
            const refused = heard(name)
            return refused === undefined ? tx.query(name, ...rest) : Promise.reject(refused)
          },
        }),
      ),
  }
}
