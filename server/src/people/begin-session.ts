import type { AccountId, MemberId, SessionId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { PeopleDeps } from './deps.ts'
import { findMember, findMemberships } from './member-store.ts'
import { endSessionByDigest, endSessionForRenewal } from './session-ends-store.ts'
import { lastSelectedAccount } from './session-store.ts'
import type { SignInMethod } from './session-store.ts'
import type { BegunSession } from './sessions.ts'
import { tokenDigest } from './token.ts'
import type { Visit } from './visit.ts'

type Deps = Pick<PeopleDeps, 'audit' | 'clock' | 'sessions'>

/**
 * Begins a session of a person who has shown who they are, in the caller's transaction of the scope `service`. It always has a token of
 * its own, and the session that the browser came with ends: whoever knew that one knows nothing of this.
 */
export async function beginSession(
  { audit, clock, sessions }: Deps,
  tx: Tx,
  order: {
    readonly memberId: MemberId
    readonly method: SignInMethod
    readonly visit: Visit
    /** The account that it is about; left out, that of the person's latest session, else the first. */
    readonly accountId?: AccountId
  },
): Promise<BegunSession> {
  const { memberId, method, visit } = order
  const member = await findMember(tx, memberId)
  if (member === undefined) throw new Error('a session of nobody')
  const joined = (await findMemberships(tx, memberId)).filter(
    ({ joinedAtMilliseconds }) => joinedAtMilliseconds !== null,
  )
  const wanted = order.accountId ?? (await lastSelectedAccount(tx, memberId))
  const account = joined.find(({ accountId }) => accountId === wanted) ?? joined[0] ?? null
  if (visit.earlier !== undefined) {
    await endSessionByDigest(tx, tokenDigest(visit.earlier), clock.nowMilliseconds())
  }
  const begun = await sessions.begin(tx, {
    memberId,
    account,
    isOperator: member.isOperator,
    method,
    address: visit.address,
    userAgent: visit.userAgent,
  })
  await audit.note(tx, {
    accountId: account?.accountId ?? null,
    actor: {
      kind: 'member',
      id: memberId,
      name: member.email ?? member.name,
      address: visit.address,
      requestId: visit.requestId,
    },
    action: 'session.started',
    object: begun.session.sessionId,
    details: { method },
  })
  return begun
}

/**
 * Takes a session's place by one with another token, which ends when it would have ended: for whatever raises what it may do. Left
 * out, the account stays.
 */
export async function renewSession(
  { clock, sessions }: Deps,
  tx: Tx,
  current: {
    readonly sessionId: SessionId
    readonly memberId: MemberId
    readonly accountId: AccountId | undefined
  },
): Promise<BegunSession | undefined> {
  const { sessionId, memberId, accountId } = current
  const before = await endSessionForRenewal(tx, memberId, sessionId, clock.nowMilliseconds())
  const member = before && (await findMember(tx, memberId))
  if (before === undefined || member === undefined) return undefined
  const account = (await findMemberships(tx, memberId)).find(
    (each) => each.accountId === accountId && each.joinedAtMilliseconds !== null,
  )
  return await sessions.begin(tx, {
    ...before,
    memberId,
    account: account ?? null,
    isOperator: member.isOperator,
  })
}
