import { Refusal } from '@florin/wire/errors.ts'
import { openFirstAccountIn } from '../access/create-account.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import type { Secret } from '../kernel/secret.ts'
import type { Tx } from '../store/postgres.ts'
import { beginSession } from './begin-session.ts'
import type { PeopleDeps } from './deps.ts'
import { isLive } from './is-live.ts'
import { isLoopback } from './loopback.ts'
import { lockLink, markLinkUsed } from './link-store.ts'
import type { Link } from './link-store.ts'
import {
  findMember,
  findMemberships,
  findOperators,
  insertMember,
  joinAccount,
  lockFirstOperator,
  lockMember,
  putMembership,
} from './member-store.ts'
import { countWaysIn, findPassword, findPasswordByEmail } from './password-store.ts'
import { endOtherSessions } from './session-ends-store.ts'
import { findSessionByDigest } from './session-store.ts'
import type { BegunSession } from './sessions.ts'
import { parseToken, tokenDigest } from './token.ts'
import type { Visit } from './visit.ts'

const FIRST_ACCOUNT = 'Operator'
const FIRST_OPERATOR = 'Operator'

/** Email and password. An unknown address takes as long as a wrong password, and is told the same. */
export async function signInWithPassword(
  deps: PeopleDeps,
  { email: given, password }: { readonly email: string; readonly password: Secret },
  visit: Visit,
): Promise<BegunSession> {
  const { passwords, store, throttle } = deps
  const email = given.toLowerCase()
  const takeBack = await throttle.count({ address: visit.address, email })
  const known = await findPasswordByEmail(store, email)
  const isRight = await passwords.verify(password, known?.hash ?? undefined)
  if (!isRight || known === undefined) {
    throw wrongPassword()
  }
  const begun = await store.inTransaction('service', async (tx) => {
    await lockMember(tx, known.memberId)
    // It may have been changed while it was compared.
    if ((await findPassword(tx, known.memberId)) !== known.hash) throw wrongPassword()
    return await beginSession(deps, tx, { memberId: known.memberId, method: 'password', visit })
  })
  await takeBack()
  return begun
}

/** A link, which is used up unless it is the sandbox's. */
export async function signInWithLink(
  deps: PeopleDeps,
  text: string,
  visit: Visit,
): Promise<BegunSession> {
  const { clock, store, throttle } = deps
  const takeBack = await throttle.count({ address: visit.address })
  const token = parseToken(text)
  if (token === undefined) throw badLink()
  const digest = tokenDigest(token)
  // Whose session the browser has: what an invitation may need to know.
  const present = await presentSession(deps, visit)
  let isInvitation = false
  const begun = await store.inTransaction('service', async (tx) => {
    const now = clock.nowMilliseconds()
    const link = await lockLink(tx, digest, now)
    if (link === undefined) throw badLink()
    const { memberId, accountId } = await follow(deps, tx, link, visit, present?.memberId)
    isInvitation = link.kind === 'invitation'
    if (link.kind !== 'sandbox') await markLinkUsed(tx, digest, now)
    const order = { memberId, method: 'link', visit } as const
    return await beginSession(deps, tx, accountId === undefined ? order : { ...order, accountId })
  })
  if (isInvitation) deps.sessions.forgetAll()
  await takeBack()
  return begun
}

/** Whose session the browser has, as long as it is one. */
async function presentSession(
  { store, clock }: PeopleDeps,
  { earlier }: Visit,
): Promise<{ readonly memberId: MemberId } | undefined> {
  const found =
    earlier === undefined ? undefined : await findSessionByDigest(store, tokenDigest(earlier))
  return found !== undefined && isLive(found, clock.nowMilliseconds()) ? found : undefined
}

async function follow(
  deps: PeopleDeps,
  tx: Tx,
  link: Link,
  visit: Visit,
  presentId: MemberId | undefined,
): Promise<{ readonly memberId: MemberId; readonly accountId?: AccountId }> {
  switch (link.kind) {
    case 'first_operator':
      return await makeFirstOperator(deps, tx)
    case 'operator':
      return { memberId: link.memberId }
    case 'sandbox':
      if (!deps.sandbox || !isLoopback(visit.address)) throw badLink()
      return { memberId: link.memberId }
    case 'invitation':
      return await takeUp(deps, tx, link, presentId)
    default:
      return link satisfies never
  }
}

/** Of several such links that instances gave out, one makes the operator, and the others are worth nothing afterwards. */
async function makeFirstOperator(
  { clock, random }: PeopleDeps,
  tx: Tx,
): Promise<{ readonly memberId: MemberId; readonly accountId: AccountId }> {
  await lockFirstOperator(tx)
  if ((await findOperators(tx)).length > 0) throw badLink()
  const memberId = newId(random, 'mem')
  const now = clock.nowMilliseconds()
  const { accountId } = await openFirstAccountIn({ clock, random }, tx, FIRST_ACCOUNT)
  await insertMember(tx, { memberId, email: null, name: FIRST_OPERATOR, isOperator: true }, now)
  await putMembership(tx, { memberId, accountId, role: 'owner' }, now)
  return { memberId, accountId }
}

/**
 * Whoever invites somebody holds the link, too. So it signs in only a person who has no other way in and no other account; everybody
 * else must be signed in already, and it adds the account. Else inviting an address that another account has invited before would
 * open that account.
 */
async function takeUp(
  { clock }: PeopleDeps,
  tx: Tx,
  { memberId, accountId }: Extract<Link, { kind: 'invitation' }>,
  presentId: MemberId | undefined,
): Promise<{ readonly memberId: MemberId; readonly accountId?: AccountId }> {
  if (presentId !== undefined && presentId !== memberId) {
    throw new Refusal('FORBIDDEN', {
      message: 'This invitation is for somebody else. Sign out first, then open the link again.',
    })
  }
  const now = clock.nowMilliseconds()
  await lockMember(tx, memberId)
  const member = await findMember(tx, memberId)
  if (presentId !== memberId) {
    const { hasPassword, passkeys } = await countWaysIn(tx, memberId)
    const others = (await findMemberships(tx, memberId)).filter(
      (each) => each.accountId !== accountId && each.joinedAtMilliseconds !== null,
    )
    if (hasPassword || passkeys > 0 || others.length > 0 || member?.isOperator !== false) {
      throw new Refusal('UNAUTHORIZED', {
        message: 'Sign in first, then open the link of the invitation again.',
      })
    }
    // Whoever came in as this person before, holding an earlier link, is out.
    await endOtherSessions(tx, memberId, null, now)
  }
  if (!(await joinAccount(tx, accountId, memberId, now))) throw badLink()
  // Whoever is signed in stays in the account that is open: a link alone must not move anybody's work into another one.
  return presentId === memberId ? { memberId } : { memberId, accountId }
}

function wrongPassword(): Refusal {
  return new Refusal('UNAUTHORIZED', { message: 'The email address or the password is wrong.' })
}

function badLink(): Refusal {
  return new Refusal('UNAUTHORIZED', {
    message: 'This link does not sign anybody in: it was used, or its time is over.',
  })
}
