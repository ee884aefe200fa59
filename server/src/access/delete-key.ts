import { Refusal } from '@florin/wire/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, KeyId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import { markKeyDeleted } from './store.ts'

/**
 * Deletes a key for ever. Every instance refuses it within limits.keyCacheMilliseconds.
 * Throws Refusal NOT_FOUND when the account has no such key, or had it and deleted it.
 */
export async function deleteKey(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { accountId, keyId }: { readonly accountId: AccountId; readonly keyId: KeyId },
): Promise<void> {
  const deleted = await store.inTransaction(accountId, (tx) =>
    markKeyDeleted(tx, accountId, keyId, clock.nowMilliseconds()),
  )
  if (!deleted) throw new Refusal('NOT_FOUND')
}
