import { endpoints } from '@florin/wire/endpoints.ts'
import { ROLE_SCOPES } from '@florin/wire/role.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { listKeys } from '../access/list-keys.ts'
import type { KeyFacts } from '../access/store.ts'
import { actorOf } from '../audit/actor-of.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { Caller, Person, Scope } from '../kernel/caller.ts'
import { parseId } from '../kernel/id.ts'
import type { KeyId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { PeopleDeps } from './deps.ts'
import { demandLive } from './demand-live.ts'
import { makeOwnKey, removeOwnKey, rotateOwnKey } from './manage-keys.ts'

/** The routes of an account's API keys. */
export function keyRoutes(deps: PeopleDeps): readonly Route[] {
  return [
    route(endpoints.listKeys, async ({ caller: { accountId } }) => {
      const keys = await listKeys(deps, accountId)
      return { body: { keys: keys.map(keyView), liveMax: limits.liveKeysPerAccountMax } }
    }),

    route(endpoints.createKey, async (call) => {
      const { name, scopes, expiresAt = null } = call.body
      refuseMore(call.caller, scopes)
      await demandStanding(deps, call)
      const { facts, key, isRepeated } = await makeOwnKey(deps, {
        ...{ name, scopes, expiresAtMilliseconds: expiresAt },
        caller: call.caller,
        actor: actorOf(call),
        idempotencyKey: call.idempotencyKey,
      })
      return {
        headers: isRepeated ? REPEATED : {},
        body: { ...keyView(facts), key: key?.reveal() ?? null },
      }
    }),

    route(endpoints.rotateKey, async (call) => {
      await demandStanding(deps, call)
      const { facts, key, previous, isRepeated } = await rotateOwnKey(deps, {
        caller: call.caller,
        keyId: keyIdOf(call.params.keyId),
        previousValidSeconds: call.body.previousValidSeconds,
        permit: (scopes) => refuseMore(call.caller, scopes),
        actor: actorOf(call),
        idempotencyKey: call.idempotencyKey,
      })
      return {
        headers: isRepeated ? REPEATED : {},
        body: { ...keyView(facts), key: key?.reveal() ?? null, previous: keyView(previous) },
      }
    }),

    route(endpoints.deleteKey, async (call) => {
      const keyId = keyIdOf(call.params.keyId)
      const { accountId } = call.caller
      const deletedAt = await removeOwnKey(deps, {
        ...{ accountId, keyId, actor: actorOf(call) },
        permit: (scopes) => refuseMore(call.caller, scopes),
      })
      return { body: { keyId, deletedAt } }
    }),
  ]
}

const REPEATED = { 'idempotent-replayed': 'true' } as const

/** A person gives no key what their role has not, and takes none away that has more. A key of the scope admin stands above: managing keys is what it is for. */
function refuseMore({ person }: Caller, scopes: readonly Scope[]): void {
  if (person === undefined) return
  const { role } = person
  const own = role === null ? [] : ROLE_SCOPES[role]
  const more = scopes.filter((scope) => !own.includes(scope))
  if (more.length === 0) return
  throw new Refusal('FORBIDDEN', {
    message: 'This session may not do that.',
    details: { scopes: `${role ?? 'nobody'} does not have ${more.join(', ')}` },
  })
}

/** A key lives on after whoever made it: a session must be one by now's word, not by what was remembered. */
async function demandStanding(
  deps: PeopleDeps,
  { person }: { readonly person: Person | undefined },
): Promise<void> {
  if (person !== undefined) await demandLive(deps, person.sessionId)
}

function keyIdOf(text: string): KeyId {
  const keyId = parseId('key', text)
  if (keyId === undefined) throw new Refusal('NOT_FOUND')
  return keyId
}

/** A key as people and programs see it. */
export function keyView(facts: KeyFacts) {
  return {
    keyId: facts.keyId,
    name: facts.name,
    lastFour: facts.lastFour,
    mode: facts.mode,
    plan: facts.plan,
    scopes: [...facts.scopes],
    createdAt: facts.createdAtMilliseconds,
    lastUsedAt: facts.lastUsedAtMilliseconds,
    expiresAt: facts.expiresAtMilliseconds,
  }
}
