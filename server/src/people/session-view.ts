import { findAccounts } from '../access/account-store.ts'
import type { AccountId, MemberId, SessionId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Secret } from '../kernel/secret.ts'
import type { Tx } from '../store/postgres.ts'
import type { PeopleDeps } from './deps.ts'
import { findMember, findMemberships } from './member-store.ts'
import { countWaysIn } from './password-store.ts'
import { findOwnSession } from './session-store.ts'
import { signedOut } from './sessions.ts'

/** Who is signed in, as the page is told. The transaction's scope is `service`. */
export async function sessionView(
  { sandbox, baseUrl }: Pick<PeopleDeps, 'sandbox' | 'baseUrl'>,
  tx: Tx,
  {
    memberId,
    sessionId,
    csrfToken,
  }: {
    readonly memberId: MemberId
    readonly sessionId: SessionId
    readonly csrfToken: Secret
  },
) {
  const member = await findMember(tx, memberId)
  const session = await findOwnSession(tx, sessionId)
  if (member === undefined || session === undefined) throw signedOut()
  const memberships = (await findMemberships(tx, memberId)).filter(
    ({ joinedAtMilliseconds }) => joinedAtMilliseconds !== null,
  )
  const roles = new Map<AccountId, (typeof memberships)[number]['role']>(
    memberships.map(({ accountId, role }) => [accountId, role]),
  )
  const facts = await findAccounts(tx, [...roles.keys()])
  const accounts = facts.flatMap((account) => {
    const role = roles.get(account.accountId)
    return role === undefined ? [] : [{ ...account, role }]
  })
  const selected = accounts.find(({ accountId }) => accountId === session.account?.accountId)
  const { isOperator, name, email } = member
  return {
    sessionId,
    member: { memberId, email, name, ...(await countWaysIn(tx, memberId)) },
    operator: isOperator && session.isOperator,
    accounts,
    selected:
      selected === undefined || session.account === null
        ? null
        : { ...selected, role: session.account.role },
    csrfToken: csrfToken.reveal(),
    signedInAt: session.createdAtMilliseconds,
    expiresAt: session.expiresAtMilliseconds,
    idleExpiresAt: session.seenAtMilliseconds + limits.sessionIdleSeconds * 1000,
    sandbox,
    baseUrl: baseUrl(),
  }
}
