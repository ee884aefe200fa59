import { Refusal } from '@florin/wire/errors.ts'
import { createKeyIn } from '../access/create-key.ts'
import { endKeyAt } from '../access/key-end-store.ts'
import { findKeys, lockAccount, markKeyDeleted } from '../access/store.ts'
import type { KeyFacts } from '../access/store.ts'
import type { Actor } from '../audit/entry.ts'
import { claimOnce } from '../idempotency/claim-once.ts'
import { PLANS } from '../kernel/caller.ts'
import type { Caller, Plan, Scope } from '../kernel/caller.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, KeyId } from '../kernel/id.ts'
import type { Secret } from '../kernel/secret.ts'
import type { Tx } from '../store/postgres.ts'
import type { PeopleDeps } from './deps.ts'
import { holdAsker } from './hold-asker.ts'

type Deps = Pick<PeopleDeps, 'store' | 'clock' | 'random' | 'pepper' | 'audit' | 'sandbox'>

/** A key, and its text when this request made it; null when an earlier one under the same idempotency key did. */
export interface OwnKey {
  readonly facts: KeyFacts
  readonly key: Secret | null
  readonly isRepeated: boolean
}

interface Order {
  /** Who asks, as they were let in. */
  readonly caller: Caller
  readonly actor: Actor
  readonly idempotencyKey: string | undefined
}

/** Makes a key of the account, with the caller's plan, or what is left of it by now. Refuses as createKey and holdAsker do. */
export async function makeOwnKey(
  deps: Deps,
  order: Order & {
    readonly name: string
    readonly scopes: readonly Scope[]
    readonly expiresAtMilliseconds: number | null
  },
): Promise<OwnKey> {
  const { caller, actor, idempotencyKey: key, ...terms } = order
  const { accountId } = caller
  const { audit, clock, random, sandbox, store } = deps
  const { name, scopes, expiresAtMilliseconds } = terms
  const keyId = newId(random, 'key')
  return await store.inTransaction(accountId, async (tx) => {
    const asked = { name, scopes, expiresAtMilliseconds }
    const intent = { accountId, operation: 'createKey', key, asked }
    const before = await claimOnce(tx, intent, keyId, clock.nowMilliseconds())
    if (before !== undefined) {
      return { facts: await demandKey(tx, accountId, before), key: null, isRepeated: true }
    }
    const mode = sandbox ? 'test' : 'live'
    const plan = lesser(caller.plan, await mostPlan(tx, accountId))
    await holdAsker(tx, caller, clock.nowMilliseconds())
    const made = await createKeyIn(deps, tx, { accountId, mode, ...terms, plan }, keyId)
    const details = { name, scopes: [...scopes], lastFour: made.facts.lastFour }
    await audit.note(tx, { accountId, actor, action: 'key.created', object: keyId, details })
    return { ...made, isRepeated: false }
  })
}

/**
 * The most that the account has: its own plan, or that of a key which an operator gave more. Whoever asks was admitted a moment ago, and an
 * operator lowers the account together with its keys: behind its lock both are as they are now. Throws Refusal NOT_FOUND.
 */
async function mostPlan(tx: Tx, accountId: AccountId): Promise<Plan> {
  const plan = await lockAccount(tx, accountId)
  if (plan === undefined) throw new Refusal('NOT_FOUND')
  const keys = await findKeys(tx, accountId)
  return keys.reduce((most, key) => (lesser(most, key.plan) === most ? key.plan : most), plan)
}

function lesser(one: Plan, other: Plan): Plan {
  return PLANS.indexOf(one) < PLANS.indexOf(other) ? one : other
}

/**
 * Makes a key with the name, the plan and the scopes of another, which ends after `previousValidSeconds`; undefined leaves it. A key
 * that lapses gives way to one that lives as long from now on. Throws Refusal NOT_FOUND for a key that is not there, and as createKey and
 * holdAsker.
 */
export async function rotateOwnKey(
  deps: Deps,
  order: Order & {
    readonly keyId: KeyId
    readonly previousValidSeconds: number | undefined
    /** Throws unless these scopes may be given by whoever asks. */
    permit(scopes: readonly Scope[]): void
  },
): Promise<OwnKey & { readonly previous: KeyFacts }> {
  const { caller, keyId: previousId, actor, idempotencyKey: key, previousValidSeconds } = order
  const { accountId } = caller
  const { audit, clock, random, store } = deps
  const keyId = newId(random, 'key')
  const now = clock.nowMilliseconds()
  return await store.inTransaction(accountId, async (tx) => {
    const asked = { previousId, previousValidSeconds: previousValidSeconds ?? null }
    const intent = { accountId, operation: 'rotateKey', key, asked }
    const before = await claimOnce(tx, intent, keyId, now)
    // Before its keys, as whoever changes the plan of all of them does; and the key is read as it is then.
    if (before === undefined) {
      await lockAccount(tx, accountId)
      await holdAsker(tx, caller, now)
    }
    const previous = await demandKey(tx, accountId, previousId)
    order.permit(previous.scopes)
    if (before !== undefined) {
      const facts = await demandKey(tx, accountId, before)
      return { facts, previous, key: null, isRepeated: true }
    }
    const { name, mode, plan, scopes, createdAtMilliseconds, expiresAtMilliseconds } = previous
    if (expiresAtMilliseconds !== null && expiresAtMilliseconds <= now) {
      throw new Refusal('NOT_FOUND')
    }
    if (previousValidSeconds !== undefined) {
      await endKeyAt(tx, accountId, previousId, now + previousValidSeconds * 1000)
    }
    const expires =
      expiresAtMilliseconds === null ? null : now + expiresAtMilliseconds - createdAtMilliseconds
    const terms = { accountId, name, mode, plan, scopes, expiresAtMilliseconds: expires }
    const made = await createKeyIn(deps, tx, terms, keyId)
    const details = { name, previous: previousId, lastFour: made.facts.lastFour }
    await audit.note(tx, { accountId, actor, action: 'key.rotated', object: keyId, details })
    return { ...made, previous: await demandKey(tx, accountId, previousId), isRepeated: false }
  })
}

/** Deletes a key for ever, and gives when. Throws Refusal NOT_FOUND, and what `permit` throws of the key's scopes. */
export async function removeOwnKey(
  { audit, clock, store }: Deps,
  {
    accountId,
    keyId,
    permit,
    actor,
  }: {
    readonly accountId: AccountId
    readonly keyId: KeyId
    permit(scopes: readonly Scope[]): void
    readonly actor: Actor
  },
): Promise<number> {
  const now = clock.nowMilliseconds()
  await store.inTransaction(accountId, async (tx) => {
    const { name, lastFour, scopes } = await demandKey(tx, accountId, keyId)
    permit(scopes)
    if (!(await markKeyDeleted(tx, accountId, keyId, now))) throw new Refusal('NOT_FOUND')
    const details = { name, lastFour }
    await audit.note(tx, { accountId, actor, action: 'key.deleted', object: keyId, details })
  })
  return now
}

async function demandKey(tx: Tx, accountId: AccountId, keyId: string): Promise<KeyFacts> {
  const key = (await findKeys(tx, accountId)).find((each) => each.keyId === keyId)
  if (key === undefined) throw new Refusal('NOT_FOUND')
  return key
}
