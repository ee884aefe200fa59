import { Refusal } from '@florin/wire/errors.ts'
import { findKey } from '../idempotency/store.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import type { Once } from './give.ts'

/** Looks before anything is moved whether a key has had a success for another body. Refuses IDEMPOTENCY_MISMATCH. */
export async function refuseOtherBody(
  store: Store,
  accountId: AccountId,
  once: Once | null,
): Promise<void> {
  if (once === null) return
  const known = await store.inTransaction(accountId, (tx) => findKey(tx, { ...once, accountId }))
  if (known?.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
}
