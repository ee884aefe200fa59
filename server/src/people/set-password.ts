import { Refusal } from '@florin/wire/errors.ts'
import type { Actor } from '../audit/entry.ts'
import type { AccountId, MemberId, SessionId } from '../kernel/id.ts'
import type { Secret } from '../kernel/secret.ts'
import { renewSession } from './begin-session.ts'
import { demandFresh } from './demand-fresh.ts'
import type { PeopleDeps } from './deps.ts'
import { findMember, lockMember } from './member-store.ts'
import { countWaysIn, findPassword, putPassword } from './password-store.ts'
import { endOtherSessions } from './session-ends-store.ts'
import { signedOut } from './sessions.ts'
import type { BegunSession } from './sessions.ts'

/**
 * Sets a person's password, ends every other session of theirs and gives this one a new token. Whoever has a password must know it; who
 * has none, and has a passkey, must have signed in a short while ago. Who has neither could not sign in again.
 * Throws Refusal INVALID_PARAMETERS, FORBIDDEN as demandFresh, and RATE_LIMIT for who guesses.
 */
export async function setPassword(
  deps: PeopleDeps,
  {
    memberId,
    sessionId,
    accountId,
    password,
    current,
    actor,
  }: {
    readonly memberId: MemberId
    readonly sessionId: SessionId
    readonly accountId: AccountId | undefined
    readonly password: Secret
    readonly current: Secret | undefined
    readonly actor: Actor
  },
): Promise<BegunSession> {
  const { audit, clock, passwords, store, throttle } = deps
  const before = await findPassword(store, memberId)
  if (before === undefined && (await hasPasskey(deps, memberId))) await demandFresh(deps, sessionId)
  const takeBack = await throttle.count({ address: actor.address ?? '', email: memberId })
  if (before !== undefined) {
    if (current === undefined) throw invalid('currentPassword', 'is required')
    if (!(await passwords.verify(current, before))) throw invalid('currentPassword', 'is wrong')
  }
  const hash = await passwords.hash(password)
  const renewed = await store.inTransaction('service', async (tx) => {
    await lockMember(tx, memberId)
    const member = await findMember(tx, memberId)
    if (member?.email === null) {
      throw invalid('email', 'give yourself an email address first, with PATCH /me')
    }
    if ((await findPassword(tx, memberId)) !== before) {
      throw invalid('currentPassword', 'was changed meanwhile')
    }
    const now = clock.nowMilliseconds()
    await putPassword(tx, memberId, hash, now)
    await endOtherSessions(tx, memberId, sessionId, now)
    const [action, object] = ['password.set', memberId]
    await audit.note(tx, { accountId: null, actor, action, object })
    const made = await renewSession(deps, tx, { sessionId, memberId, accountId })
    if (made === undefined) throw signedOut()
    return made
  })
  await takeBack()
  return renewed
}

async function hasPasskey({ store }: PeopleDeps, memberId: MemberId): Promise<boolean> {
  const ways = await store.inTransaction('service', (tx) => countWaysIn(tx, memberId))
  return ways.passkeys > 0
}

function invalid(field: string, rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}
