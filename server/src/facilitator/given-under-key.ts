import { Refusal } from '@florin/wire/errors.ts'
import { findKey } from '../idempotency/store.ts'
import { parseId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import type { Once } from './give.ts'

/**
 * The payment whose success a key got before, looked for before anything is moved; undefined where it got none, and without a key. Refuses
 * IDEMPOTENCY_MISMATCH when it was used for another body.
 */
export async function givenUnderKey(
  store: Store,
  accountId: AccountId,
  once: Once | null,
): Promise<PaymentId | undefined> {
  if (once === null) return undefined
  const known = await store.inTransaction(accountId, (tx) => findKey(tx, { ...once, accountId }))
  if (known === undefined) return undefined
  if (known.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
  const paymentId = parseId('pay', known.resourceId)
  if (paymentId === undefined) throw new Error('an idempotency key names no payment')
  return paymentId
}
