import type { AccountId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import { findKeys } from './store.ts'
import type { KeyFacts } from './store.ts'

/** The account's keys that were not deleted, the last expired ones included, oldest first. */
export async function listKeys(
  { store }: { readonly store: Store },
  accountId: AccountId,
): Promise<readonly KeyFacts[]> {
  return store.inTransaction(accountId, (tx) => findKeys(tx, accountId))
}
