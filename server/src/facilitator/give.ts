import { Refusal } from '@florin/wire/errors.ts'
import { claimKeys, giveKeysBack } from '../idempotency/store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import { limits } from '../kernel/limits.ts'
import { shareReads } from '../store/shared-reads.ts'
import { keepAnswer, returnAnswer, takeAnswer, takeAnswers } from './claim-store.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

/** A caller's wish to get the same success again under one key. */
export interface Once {
  readonly operation: string
  readonly key: string
  /** SHA-256 of the parsed body. */
  readonly fingerprint: Fingerprint
}

export type Given =
  /** The one success of the claim. `takeBack` when it reached nobody. */
  | { readonly kind: 'given'; readonly replayed: boolean; takeBack(): Promise<void> }
  | { readonly kind: 'gone'; readonly nowMilliseconds: number }

/** What became of the wish for a success: whether it was there to take, and when it was asked for. */
export interface Taken {
  readonly isTaken: boolean
  readonly nowMilliseconds: number
}

/** Takes the successes that are asked for at the same moment in one transaction; of two who ask for the same, the first has it. */
export function openTaking({
  store,
  clock,
}: {
  readonly store: Store
  readonly clock: Clock
}): (paymentId: PaymentId) => Promise<Taken | undefined> {
  return shareReads<PaymentId, Taken>({
    read: async (paymentIds) => {
      const nowMilliseconds = clock.nowMilliseconds()
      const taken = await takeAnswers(store, paymentIds, nowMilliseconds)
      const left = new Set(taken)
      return paymentIds.map((paymentId) => ({ isTaken: left.delete(paymentId), nowMilliseconds }))
    },
    underWayMax: limits.successesUnderWayMax,
    sharedMax: limits.successesSharedMax,
  })
}

export interface GiveDeps {
  readonly store: Store
  readonly clock: Clock
  /** Takes a success together with others; left out, each is taken alone. */
  readonly take?: (paymentId: PaymentId) => Promise<Taken | undefined>
}

/**
 * Takes the one success of a claim before it is said: a crash in between leaves it taken, and the seller is told when. Its key, if
 * there is one, is stored in the same transaction, and whoever has the key gets the success again. Refuses
 * IDEMPOTENCY_MISMATCH.
 */
export async function giveSuccess(
  { store, clock, take }: GiveDeps,
  { accountId, paymentId }: { readonly accountId: AccountId; readonly paymentId: PaymentId },
  once: Once | null,
): Promise<Given> {
  const taken = once === null ? await take?.(paymentId) : undefined
  if (taken !== undefined) {
    const { isTaken, nowMilliseconds } = taken
    if (!isTaken) return { kind: 'gone', nowMilliseconds }
    const takeBack = async () => {
      await store.inTransaction('service', (tx) => returnAnswer(tx, paymentId, nowMilliseconds))
    }
    return { kind: 'given', replayed: false, takeBack }
  }
  const now = clock.nowMilliseconds()
  const keys = once === null ? [] : [{ ...once, accountId, resourceId: paymentId }]
  return store.inTransaction('service', async (tx) => {
    let [key = { kind: 'new' } as const] = await claimKeys(tx, keys, now)
    if (key.kind === 'replay' && key.resourceId === paymentId) {
      if (await keepAnswer(tx, paymentId)) {
        return { kind: 'given', replayed: true, takeBack: async () => undefined }
      }
      // It was given back while this waited for it, and its key with it: both are there to take again.
      ;[key = { kind: 'new' } as const] = await claimKeys(tx, keys, now)
    }
    switch (key.kind) {
      case 'mismatch':
        throw new Refusal('IDEMPOTENCY_MISMATCH')
      case 'replay':
        if (key.resourceId !== paymentId) throw new Refusal('IDEMPOTENCY_MISMATCH')
        // A third one was faster with the same key.
        if (!(await keepAnswer(tx, paymentId))) return { kind: 'gone', nowMilliseconds: now }
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
