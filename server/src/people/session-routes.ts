import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { parseId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { Secret } from '../kernel/secret.ts'
import { actorOf } from '../audit/actor-of.ts'
import { renewSession } from './begin-session.ts'
import { noSessionCookie, sessionCookie } from './cookie.ts'
import type { PeopleDeps } from './deps.ts'
import { accountOf, demandPerson } from './demand-person.ts'
import { endSession } from './session-ends-store.ts'
import { listLiveSessions } from './session-store.ts'
import { sessionView } from './session-view.ts'
import { signedOut } from './sessions.ts'
import type { BegunSession } from './sessions.ts'
import { signInWithLink, signInWithPassword } from './sign-in.ts'
import { csrfTokenOf } from './token.ts'
import { visitOf } from './visit.ts'

/** The routes by which people come and go. */
export function sessionRoutes(deps: PeopleDeps): readonly Route[] {
  const { audit, clock, sessions, store } = deps

  return [
    route(endpoints.signIn, async (call) => {
      const { link, email, password } = call.body
      const visit = visitOf(call)
      if (link !== undefined && email === undefined && password === undefined) {
        return await begun(deps, await signInWithLink(deps, link, visit))
      }
      if (link === undefined && email !== undefined && password !== undefined) {
        const order = { email, password: new Secret(password) }
        return await begun(deps, await signInWithPassword(deps, order, visit))
      }
      throw new Refusal('INVALID_PARAMETERS', {
        details: { link: 'alone, or email and password' },
      })
    }),

    route(endpoints.getSession, async (call) => {
      const person = demandPerson(call)
      return {
        body: await store.inTransaction('service', (tx) => sessionView(deps, tx, person)),
      }
    }),

    route(endpoints.selectAccount, async (call) => {
      const { memberId, sessionId } = demandPerson(call)
      const accountId = parseId('acct', call.body.accountId)
      const renewed = await store.inTransaction('service', async (tx) => {
        if (accountId === undefined) throw new Refusal('NOT_FOUND')
        const made = await renewSession(deps, tx, { sessionId, memberId, accountId })
        if (made === undefined) throw signedOut()
        if (made.session.account === null) throw new Refusal('NOT_FOUND')
        return made
      })
      sessions.forgetAll()
      return await begun(deps, renewed)
    }),

    route(endpoints.signOut, async (call) => {
      const { memberId, sessionId } = demandPerson(call)
      const signedOutAt = clock.nowMilliseconds()
      await store.inTransaction('service', async (tx) => {
        await endSession(tx, memberId, sessionId, signedOutAt)
        await audit.note(tx, {
          accountId: accountOf(call),
          actor: actorOf(call),
          action: 'session.ended',
          object: sessionId,
        })
      })
      sessions.forgetAll()
      return { headers: noSessionCookie(), body: { signedOutAt } }
    }),

    route(endpoints.listSessions, async (call) => {
      const { memberId, sessionId } = demandPerson(call)
      const now = clock.nowMilliseconds()
      const live = await store.inTransaction('service', (tx) =>
        listLiveSessions(tx, memberId, {
          nowMilliseconds: now,
          seenSinceMilliseconds: now - limits.sessionIdleSeconds * 1000,
          count: limits.sessionsPerMemberMax,
        }),
      )
      return {
        body: {
          sessions: live.map((session) => ({
            sessionId: session.sessionId,
            current: session.sessionId === sessionId,
            method: session.method,
            address: session.address,
            userAgent: session.userAgent,
            createdAt: session.createdAtMilliseconds,
            lastSeenAt: session.seenAtMilliseconds,
            expiresAt: session.expiresAtMilliseconds,
          })),
        },
      }
    }),

    route(endpoints.endSession, async (call) => {
      const { memberId } = demandPerson(call)
      const { sessionId } = call.params
      const endedAt = clock.nowMilliseconds()
      await store.inTransaction('service', async (tx) => {
        const isEnded = await endSession(tx, memberId, sessionId, endedAt)
        if (!isEnded) throw new Refusal('NOT_FOUND')
        await audit.note(tx, {
          accountId: accountOf(call),
          actor: actorOf(call),
          action: 'session.ended',
          object: sessionId,
        })
      })
      sessions.forgetAll()
      return { body: { sessionId, endedAt } }
    }),
  ]
}

/** The answer that begins a session or gives it a new token: the cookie, and what the page needs. */
export async function begun(deps: PeopleDeps, { session, token }: BegunSession) {
  const { memberId, sessionId, createdAtMilliseconds, expiresAtMilliseconds } = session
  const view = { memberId, sessionId, csrfToken: csrfTokenOf(token) }
  const seconds = Math.ceil((expiresAtMilliseconds - createdAtMilliseconds) / 1000)
  return {
    headers: sessionCookie(token, seconds),
    body: await deps.store.inTransaction('service', (tx) => sessionView(deps, tx, view)),
  }
}
