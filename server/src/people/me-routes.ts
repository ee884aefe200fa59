import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { actorOf } from '../audit/actor-of.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { Secret } from '../kernel/secret.ts'
import type { PeopleDeps } from './deps.ts'
import { demandFresh } from './demand-fresh.ts'
import { demandPerson } from './demand-person.ts'
import { deletePasskey, listPasskeys } from './passkey-store.ts'
import type { PasskeyFacts } from './passkey-store.ts'
import { addPasskey, passkeyOptions, passkeySignInOptions, signInWithPasskey } from './passkeys.ts'
import { changeProfile } from './change-profile.ts'
import { begun } from './session-routes.ts'
import { setPassword } from './set-password.ts'
import { visitOf } from './visit.ts'

/** The routes by which people look after themselves: profile, password, passkeys. */
export function meRoutes(deps: PeopleDeps): readonly Route[] {
  const { audit, clock, sessions, store } = deps
  return [
    route(endpoints.passkeySignInOptions, async (call) => ({
      body: { options: await passkeySignInOptions(deps, visitOf(call)) },
    })),

    route(endpoints.passkeySignIn, async (call) =>
      begun(deps, await signInWithPasskey(deps, call.body.response, visitOf(call))),
    ),

    route(endpoints.changeProfile, async (call) => {
      const { memberId } = demandPerson(call)
      const { name = null, email } = call.body
      const change = { name, email: email?.toLowerCase() ?? null }
      const { email: now, name: called } = await changeProfile(deps, {
        ...{ memberId, change, actor: actorOf(call) },
      })
      sessions.forgetAll()
      return { body: { memberId, email: now, name: called } }
    }),

    route(endpoints.setPassword, async (call) => {
      const { password, currentPassword } = call.body
      const { memberId, sessionId } = demandPerson(call)
      const renewed = await setPassword(deps, {
        memberId,
        sessionId,
        accountId: call.knownCaller?.accountId,
        password: new Secret(password),
        current: currentPassword === undefined ? undefined : new Secret(currentPassword),
        actor: actorOf(call),
      })
      sessions.forgetAll()
      return await begun(deps, renewed)
    }),

    route(endpoints.passkeyOptions, async (call) => {
      const { memberId, sessionId } = demandPerson(call)
      await demandFresh(deps, sessionId)
      return { body: { options: await passkeyOptions(deps, memberId) } }
    }),

    route(endpoints.addPasskey, async (call) => {
      const { memberId, sessionId } = demandPerson(call)
      await demandFresh(deps, sessionId)
      const { name, response } = call.body
      const order = { memberId, sessionId, name, response, actor: actorOf(call) }
      return { body: passkeyView(await addPasskey(deps, order)) }
    }),

    route(endpoints.listPasskeys, async (call) => {
      const { memberId } = demandPerson(call)
      const passkeys = await store.inTransaction('service', (tx) => listPasskeys(tx, memberId))
      return { body: { passkeys: passkeys.map(passkeyView) } }
    }),

    route(endpoints.deletePasskey, async (call) => {
      const { memberId } = demandPerson(call)
      const { passkeyId } = call.params
      const deletedAt = clock.nowMilliseconds()
      await store.inTransaction('service', async (tx) => {
        const name = await deletePasskey(tx, memberId, passkeyId)
        if (name === undefined) throw new Refusal('NOT_FOUND')
        const [actor, action] = [actorOf(call), 'passkey.deleted']
        const details = { name }
        await audit.note(tx, { accountId: null, actor, action, object: passkeyId, details })
      })
      return { body: { passkeyId, deletedAt } }
    }),
  ]
}

function passkeyView(passkey: PasskeyFacts) {
  return {
    passkeyId: passkey.passkeyId,
    name: passkey.name,
    synced: passkey.synced,
    createdAt: passkey.createdAtMilliseconds,
    lastUsedAt: passkey.lastUsedAtMilliseconds,
  }
}
