import { Refusal } from '@florin/wire/errors.ts'
import type { Role } from '@florin/wire/role.ts'
import type { Actor } from '../audit/entry.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { PeopleDeps } from './deps.ts'
import { dropAllInvitations, dropInvitations } from './link-store.ts'
import { deleteMembership, listMembers, lockOwners, setRole } from './member-list-store.ts'
import type { ListedMember } from './member-list-store.ts'
import { refuseFormerOwner } from './refuse-former-owner.ts'

type Deps = Pick<PeopleDeps, 'audit' | 'clock' | 'sessions' | 'store'>

interface Order {
  readonly accountId: AccountId
  readonly memberId: string
  readonly actor: Actor
}

/**
 * Gives a member another role. A lower one holds within limits.keyCacheMilliseconds, a higher one from the person's next session on.
 * Throws Refusal NOT_FOUND, and INVALID_PARAMETERS for the last owner.
 */
export async function changeRole(
  { audit, clock, sessions, store }: Deps,
  { accountId, memberId, role, actor }: Order & { readonly role: Role },
): Promise<ListedMember> {
  const changed = await store.inTransaction(accountId, async (tx) => {
    const owners = await lockOwners(tx, accountId)
    refuseFormerOwner(owners, actor)
    const member = await demandMember(tx, accountId, memberId, clock.nowMilliseconds())
    if (role !== 'owner') refuseLastOwner(owners, member)
    if (member.role === role) return member
    await setRole(tx, accountId, member.memberId, role)
    if (member.role === 'owner') await dropAllInvitations(tx, accountId)
    const details = { from: member.role, to: role, email: member.email }
    const action = 'member.role_changed'
    await audit.note(tx, { accountId, actor, action, object: memberId, details })
    return { ...member, role }
  })
  sessions.forgetAll()
  return changed
}

/**
 * Takes a member out of the account, within limits.keyCacheMilliseconds on every instance, and gives when. Throws Refusal NOT_FOUND, and
 * INVALID_PARAMETERS for the last owner.
 */
export async function removeMember(
  { audit, clock, sessions, store }: Deps,
  { accountId, memberId, actor }: Order,
): Promise<number> {
  const now = clock.nowMilliseconds()
  await store.inTransaction(accountId, async (tx) => {
    const owners = await lockOwners(tx, accountId)
    refuseFormerOwner(owners, actor)
    const member = await demandMember(tx, accountId, memberId, now)
    refuseLastOwner(owners, member)
    await dropInvitations(tx, accountId, member.memberId)
    if (member.role === 'owner') await dropAllInvitations(tx, accountId)
    const details = { email: member.email, role: member.role }
    await audit.note(tx, { accountId, actor, action: 'member.removed', object: memberId, details })
    await deleteMembership(tx, accountId, member.memberId)
  })
  sessions.forgetAll()
  return now
}

async function demandMember(
  tx: Tx,
  accountId: AccountId,
  memberId: string,
  nowMilliseconds: number,
): Promise<ListedMember> {
  const members = await listMembers(tx, accountId, nowMilliseconds)
  const member = members.find((each) => each.memberId === memberId)
  if (member === undefined) throw new Refusal('NOT_FOUND')
  return member
}

function refuseLastOwner(owners: readonly string[], { memberId }: ListedMember): void {
  if (owners.length > 1 || !owners.includes(memberId)) return
  throw new Refusal('INVALID_PARAMETERS', {
    details: { memberId: 'is the only owner; give another member that role first' },
  })
}
