import { Refusal } from '@florin/wire/errors.ts'
import type { Plan, Scope } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, KeyId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'
import type { Secret, SecretBytes } from '../kernel/secret.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { keyDigest, lastFourOf, makeKey } from './key.ts'
import type { KeyMode } from './key.ts'
import { dropExpiredKeys } from './key-end-store.ts'
import { countLiveKeys, insertKey, lockAccount } from './store.ts'
import type { KeyFacts } from './store.ts'

export interface KeyOrder {
  readonly accountId: AccountId
  readonly name: string
  readonly mode: KeyMode
  readonly plan: Plan
  readonly scopes: readonly Scope[]
  /** Null: never. */
  readonly expiresAtMilliseconds: number | null
}

export interface CreatedKey {
  readonly facts: KeyFacts
  /** The only time that the key's text exists outside its holder. */
  readonly key: Secret
}

const UNPRINTABLE = /\p{Cc}|\p{Cs}/u

/**
 * Makes a key of an account. Throws Refusal INVALID_PARAMETERS for a bad name, no scope, an expiry that has passed or
 * more than limits.liveKeysPerAccountMax live keys, NOT_FOUND when there is no such account. Of those that have expired the last
 * limits.expiredKeysPerAccountMax stay: keys of a minute are made by the thousand, and all that an account has are read at once.
 */
export async function createKey(
  deps: {
    readonly store: Store
    readonly clock: Clock
    readonly random: Random
    readonly pepper: SecretBytes
  },
  order: KeyOrder,
): Promise<CreatedKey> {
  return await deps.store.inTransaction(order.accountId, (tx) => createKeyIn(deps, tx, order))
}

/** The same in the caller's transaction, whose scope is the account's. */
export async function createKeyIn(
  deps: { readonly clock: Clock; readonly random: Random; readonly pepper: SecretBytes },
  tx: Tx,
  order: KeyOrder,
  keyId: KeyId = newId(deps.random, 'key'),
): Promise<CreatedKey> {
  const { clock, random, pepper } = deps
  const now = clock.nowMilliseconds()
  refuseBadOrder(order, now)
  const key = makeKey(random, order.mode)
  const facts = {
    ...order,
    scopes: [...new Set(order.scopes)],
    keyId,
    lastFour: lastFourOf(key),
    createdAtMilliseconds: now,
    lastUsedAtMilliseconds: null,
  }
  if ((await lockAccount(tx, order.accountId)) === undefined) throw new Refusal('NOT_FOUND')
  if ((await countLiveKeys(tx, order.accountId, now)) >= limits.liveKeysPerAccountMax) {
    throw invalid('account', `has ${limits.liveKeysPerAccountMax} live keys, the most it may have`)
  }
  await dropExpiredKeys(tx, order.accountId, now, {
    kept: limits.expiredKeysPerAccountMax,
    count: limits.expiredKeysDroppedMax,
  })
  await insertKey(tx, facts, keyDigest(key, pepper))
  return { facts, key: key.text }
}

function refuseBadOrder(order: KeyOrder, now: number): void {
  const max = limits.keyNameCharactersMax
  if (order.name.trim() === '' || order.name.length > max || UNPRINTABLE.test(order.name)) {
    throw invalid('name', `must have 1 to ${max} printable characters`)
  }
  if (order.scopes.length === 0) throw invalid('scopes', 'must name at least one scope')
  if (order.expiresAtMilliseconds !== null && order.expiresAtMilliseconds <= now) {
    throw invalid('expiresAt', 'must be in the future')
  }
}

function invalid(field: string, rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}
