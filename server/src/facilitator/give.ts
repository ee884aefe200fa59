import { Refusal } from '@florin/wire/errors.ts'
import { claimKeys, giveKeysBack } from '../idempotency/store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import { keepAnswer, returnAnswer, takeAnswer } from './claim-store.ts'

/** A caller's wish to get the same success again under one key. */
export interface Once {
  readonly operation: string
  readonly key: string
  /** SHA-256 of the parsed body. */
  readonly fingerprint: Uint8Array
}

export type Given =
  /** The one success of the claim. `takeBack` when it reached nobody. */
  | { readonly kind: 'given'; readonly replayed: boolean; takeBack(): Promise<void> }
  | { readonly kind: 'gone'; readonly nowMilliseconds: number }

/**
 * Takes the one success of a claim before it is said: a crash in between leaves it taken, and the seller is told when. Its key, if
 * there is one, is stored in the same transaction, and whoever has the key gets the success again. Refuses
 * IDEMPOTENCY_MISMATCH.
 */
export async function giveSuccess(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { accountId, paymentId }: { readonly accountId: AccountId; readonly paymentId: PaymentId },
  once: Once | null,
): Promise<Given> {
  const now = clock.nowMilliseconds()
  const keys = once === null ? [] : [{ ...once, accountId, resourceId: paymentId }]
  return store.inTransaction('service', async (tx) => {
    const [key = { kind: 'new' } as const] = await claimKeys(tx, keys, now)
    switch (key.kind) {
      case 'mismatch':
        throw new Refusal('IDEMPOTENCY_MISMATCH')
      case 'replay':
        if (key.resourceId !== paymentId) throw new Refusal('IDEMPOTENCY_MISMATCH')
        await keepAnswer(tx, paymentId)
        return { kind: 'given', replayed: true, takeBack: async () => undefined }
      case 'new': {
        if (!(await takeAnswer(tx, paymentId, now))) {
          await giveKeysBack(tx, keys)
          return { kind: 'gone', nowMilliseconds: now }
        }
        const takeBack = () =>
          store.inTransaction('service', async (back) => {
            if (await returnAnswer(back, paymentId, now)) await giveKeysBack(back, keys)
          })
        return { kind: 'given', replayed: false, takeBack }
      }
      default:
        return key satisfies never
    }
  })
}
