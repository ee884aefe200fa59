import { endpoints } from '@florin/wire/endpoints.ts'
import { actorOf } from '../audit/actor-of.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { demandLive } from './demand-live.ts'
import { demandPerson } from './demand-person.ts'
import type { PeopleDeps } from './deps.ts'
import { inviteMember } from './invite-member.ts'
import { changeRole, removeMember } from './change-member.ts'
import { lastSeenIn, listMembers } from './member-list-store.ts'
import type { ListedMember } from './member-list-store.ts'

/** The routes of an account's members. */
export function memberRoutes(deps: PeopleDeps): readonly Route[] {
  const { clock, store } = deps
  return [
    route(endpoints.listMembers, async ({ caller: { accountId } }) => {
      const now = clock.nowMilliseconds()
      const members = await store.inTransaction(accountId, (tx) => listMembers(tx, accountId, now))
      const seen = await lastSeenIn(store, accountId)
      return {
        body: { members: members.map((member) => memberView(member, seen.get(member.memberId))) },
      }
    }),

    route(endpoints.inviteMember, async (call) => {
      const { email, name, role } = call.body
      const { accountId } = call.caller
      await demandLive(deps, demandPerson(call).sessionId)
      const { member, link, isRepeated } = await inviteMember(deps, {
        ...{ accountId, email: email.toLowerCase(), name, role, byOperator: false },
        actor: actorOf(call),
        idempotencyKey: call.idempotencyKey,
      })
      return {
        headers: isRepeated ? { 'idempotent-replayed': 'true' } : {},
        body: { ...memberView(member), link: link?.reveal() ?? null },
      }
    }),

    route(endpoints.changeMember, async (call) => {
      const { accountId } = call.caller
      const { memberId } = call.params
      await demandLive(deps, demandPerson(call).sessionId)
      const order = { accountId, memberId, role: call.body.role, actor: actorOf(call) }
      const member = await changeRole(deps, order)
      const seen = await lastSeenIn(store, accountId)
      return { body: memberView(member, seen.get(member.memberId)) }
    }),

    route(endpoints.removeMember, async (call) => {
      const { accountId } = call.caller
      const { memberId } = call.params
      const removedAt = await removeMember(deps, { accountId, memberId, actor: actorOf(call) })
      return { body: { memberId, removedAt } }
    }),
  ]
}

/** A member as the others see them. */
export function memberView(member: ListedMember, lastSeenAt?: number) {
  return {
    memberId: member.memberId,
    email: member.email,
    name: member.name,
    role: member.role,
    joinedAt: member.joinedAtMilliseconds,
    lastSeenAt: lastSeenAt ?? null,
    invitedUntil: member.invitedUntilMilliseconds,
  }
}
