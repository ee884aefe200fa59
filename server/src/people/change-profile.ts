import { Refusal } from '@florin/wire/errors.ts'
import type { Actor } from '../audit/entry.ts'
import type { MemberId } from '../kernel/id.ts'
import { brokenConstraint } from '../store/postgres.ts'
import type { PeopleDeps } from './deps.ts'
import { findMember, findMemberByEmail, updateProfile } from './member-store.ts'
import type { Member } from './member-store.ts'

/** Changes what is not null. Throws Refusal INVALID_PARAMETERS for the email address of somebody else. */
export async function changeProfile(
  { audit, store }: Pick<PeopleDeps, 'audit' | 'store'>,
  {
    memberId,
    change,
    actor,
  }: {
    readonly memberId: MemberId
    /** The address in small letters. */
    readonly change: { readonly name: string | null; readonly email: string | null }
    readonly actor: Actor
  },
): Promise<Member> {
  const taken = () =>
    new Refusal('INVALID_PARAMETERS', { details: { email: 'belongs to somebody else here' } })
  const work = store.inTransaction('service', async (tx) => {
    if (change.email !== null) {
      const holder = await findMemberByEmail(tx, change.email)
      if (holder !== undefined && holder.memberId !== memberId) {
        throw taken()
      }
    }
    await updateProfile(tx, memberId, change)
    const [action, object] = ['member.changed', memberId]
    await audit.note(tx, { accountId: null, actor, action, object, details: change })
    const member = await findMember(tx, memberId)
    if (member === undefined) throw new Error('a person is gone')
    return member
  })
  return await work.catch((error: unknown) => {
    throw brokenConstraint(error) === 'members_email_key' ? taken() : error
  })
}
