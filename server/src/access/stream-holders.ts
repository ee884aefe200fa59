import { Refusal } from '@florin/wire/errors.ts'
import type { Caller, Plan } from '../kernel/caller.ts'
import type { AccountId, KeyId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import { findKeys } from './store.ts'
import { liveKeys, socketPlan } from './stream-store.ts'

/** What a plan allows an account on its sockets; null: as much as it likes. */
export interface SocketPlan {
  readonly sockets: number | null
  readonly messagesPerSecond: number | null
}

/** What open connections need to know of the keys that opened them. */
export interface StreamHolders {
  planOf(plan: Plan): Promise<SocketPlan>
  /** Of these keys those that are neither deleted nor expired, each with its plan. */
  live(keyIds: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Plan>>
  /** Who is asking with that key now. @throws {Refusal} UNAUTHORIZED when it is not live. */
  callerOf(accountId: AccountId, keyId: KeyId): Promise<Caller>
}

export function openStreamHolders(store: Store): StreamHolders {
  return {
    planOf: (plan) => socketPlan(store, plan),
    live: (keyIds) => liveKeys(store, keyIds),
    callerOf: async (accountId, keyId) => {
      const keys = await store.inTransaction(accountId, (tx) => findKeys(tx, accountId))
      const key = keys.find((each) => each.keyId === keyId)
      const live = key && (await liveKeys(store, [keyId]))
      if (key === undefined || !live?.has(keyId)) throw new Refusal('UNAUTHORIZED')
      return { accountId, keyId, plan: key.plan, scopes: new Set(key.scopes) }
    },
  }
}
