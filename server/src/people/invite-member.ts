import { Refusal } from '@florin/wire/errors.ts'
import type { Role } from '@florin/wire/role.ts'
import type { Actor } from '../audit/entry.ts'
import { claimOnce } from '../idempotency/claim-once.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'
import type { Secret } from '../kernel/secret.ts'
import type { Tx } from '../store/postgres.ts'
import type { PeopleDeps } from './deps.ts'
import { dropInvitations, insertLink } from './link-store.ts'
import { linkText } from './link-text.ts'
import { listMembers, lockOwners } from './member-list-store.ts'
import type { ListedMember } from './member-list-store.ts'
import { findMemberByEmail, insertMember, putMembership } from './member-store.ts'
import { refuseFormerOwner } from './refuse-former-owner.ts'
import { newToken, tokenDigest } from './token.ts'

const INVITATION_MILLISECONDS = limits.invitationDays * 86_400_000

/** Somebody who was invited, and the link to hand over; null when an earlier request under the same idempotency key was told it. */
export interface Invitation {
  readonly member: ListedMember
  readonly link: Secret | null
  readonly isRepeated: boolean
}

/**
 * Invites somebody into the account by a link that is good once. Inviting again whoever has not come yet makes a new link, and the one
 * before worthless. Throws Refusal INVALID_PARAMETERS for a member, and for one too many; FORBIDDEN for who is no longer an owner.
 */
export async function inviteMember(
  {
    audit,
    baseUrl,
    clock,
    random,
    store,
  }: Pick<PeopleDeps, 'audit' | 'baseUrl' | 'clock' | 'random' | 'store'>,
  order: {
    readonly accountId: AccountId
    /** In small letters. */
    readonly email: string
    readonly name: string | undefined
    readonly role: Role
    /** Whoever runs the installation need not be an owner. */
    readonly byOperator: boolean
    readonly actor: Actor
    readonly idempotencyKey: string | undefined
  },
): Promise<Invitation> {
  const { accountId, email, name, role, actor, idempotencyKey: key } = order
  const now = clock.nowMilliseconds()
  const token = newToken(random)
  // Of the scope `service`: whether there is such a person already, only the installation can see.
  return await store.inTransaction('service', async (tx) => {
    const owners = await lockOwners(tx, accountId)
    if (!order.byOperator) refuseFormerOwner(owners, actor)
    const memberId = await openMember(tx, { email, name: name ?? nameFrom(email), random, now })
    const asked = { email, name: name ?? null, role }
    const intent = { accountId, operation: 'inviteMember', key, asked }
    const before = await claimOnce(tx, intent, memberId, now)
    const members = await listMembers(tx, accountId, now)
    const already = members.find((each) => each.memberId === memberId)
    if (before !== undefined) {
      if (already === undefined) throw new Refusal('NOT_FOUND')
      return { member: already, link: null, isRepeated: true }
    }
    if (already !== undefined && already.joinedAtMilliseconds !== null) {
      throw invalid('email', 'is a member already')
    }
    if (already === undefined && members.length >= limits.membersPerAccountMax) {
      throw invalid('account', `has ${limits.membersPerAccountMax} members, the most it may have`)
    }
    await dropInvitations(tx, accountId, memberId)
    // Not as the person is called elsewhere: whoever invites an address learns nothing of who has it.
    const invitedAs = { name: name ?? already?.name ?? nameFrom(email), email }
    await putMembership(tx, { memberId, accountId, role, invitedAs }, now)
    await insertLink(
      tx,
      { kind: 'invitation', memberId, accountId },
      {
        digest: tokenDigest(token),
        createdAtMilliseconds: now,
        expiresAtMilliseconds: now + INVITATION_MILLISECONDS,
      },
    )
    const details = { email, role }
    await audit.note(tx, { accountId, actor, action: 'member.invited', object: memberId, details })
    return {
      member: await demandListed(tx, accountId, memberId, now),
      link: linkText(baseUrl(), token),
      isRepeated: false,
    }
  })
}

/** The person with that email address, made when there is none. */
async function openMember(
  tx: Tx,
  {
    email,
    name,
    random,
    now,
  }: {
    readonly email: string
    readonly name: string
    readonly random: Random
    readonly now: number
  },
): Promise<MemberId> {
  const known = await findMemberByEmail(tx, email)
  if (known !== undefined) return known.memberId
  const memberId = newId(random, 'mem')
  await insertMember(tx, { memberId, email, name, isOperator: false }, now)
  // Somebody else may have made it meanwhile: then it is that one.
  return (await findMemberByEmail(tx, email))?.memberId ?? memberId
}

async function demandListed(tx: Tx, accountId: AccountId, memberId: string, now: number) {
  const listed = (await listMembers(tx, accountId, now)).find((each) => each.memberId === memberId)
  if (listed === undefined) throw new Error('an invitation was lost')
  return listed
}

function nameFrom(email: string): string {
  return email.split('@')[0]?.slice(0, 100) ?? email.slice(0, 100)
}

function invalid(field: string, rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}
