import type { Role } from '@florin/wire/role.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { parseRole } from './role.ts'

/** A person in an account, as its list shows them: until they have come, as whoever invited them called them. */
export interface ListedMember {
  readonly memberId: MemberId
  readonly email: string | null
  readonly name: string
  readonly role: Role
  readonly joinedAtMilliseconds: number | null
  /** Null: no invitation waits. */
  readonly invitedUntilMilliseconds: number | null
}

interface Row {
  readonly id: MemberId
  readonly email: string | null
  readonly name: string
  readonly role: string
  readonly joined_at: Date | null
  readonly invited_until: Date | null
}

/** The members of an account, those who were invited too, oldest first. */
export async function listMembers(
  tx: Tx,
  accountId: AccountId,
  nowMilliseconds: number,
): Promise<readonly ListedMember[]> {
  const rows = await tx.query<Row>(
    'people_list_members',
    `select m.id, p.role, p.joined_at,
            case when p.joined_at is null then coalesce(p.invited_email, m.email) else m.email end as email,
            case when p.joined_at is null then coalesce(p.invited_name, m.name) else m.name end as name,
            (select max(l.expires_at) from sign_in_links l
             where l.account_id = p.account_id and l.member_id = p.member_id and l.used_at is null
               and l.expires_at > to_timestamp($2 / 1000.0)) as invited_until
     from memberships p join members m on m.id = p.member_id
     where p.account_id = $1 order by p.created_at, m.id`,
    [accountId, nowMilliseconds],
  )
  return rows.map((row) => {
    const role = parseRole(row.role)
    if (role === undefined) throw new Error('a membership has a role that nobody knows')
    return {
      memberId: row.id,
      email: row.email,
      name: row.name,
      role,
      joinedAtMilliseconds: row.joined_at?.getTime() ?? null,
      invitedUntilMilliseconds: row.invited_until?.getTime() ?? null,
    }
  })
}

/** When each person was last seen in that account. */
export async function lastSeenIn(
  store: Pick<Store, 'query'>,
  accountId: AccountId,
): Promise<ReadonlyMap<MemberId, number>> {
  const rows = await store.query<{ member_id: MemberId; seen_at: Date }>(
    'people_last_seen',
    `select s.member_id, max(s.seen_at) as seen_at
     from memberships p join sessions s on s.member_id = p.member_id and s.selected_account_id = p.account_id
     where p.account_id = $1 group by s.member_id`,
    [accountId],
  )
  return new Map(rows.map(({ member_id, seen_at }) => [member_id, seen_at.getTime()]))
}

/** Takes the locks of the account's places, so that two changes cannot both leave it without an owner. Gives its joined owners. */
export async function lockOwners(tx: Tx, accountId: AccountId): Promise<readonly MemberId[]> {
  const rows = await tx.query<{ member_id: MemberId; is_owner: boolean }>(
    'people_lock_owners',
    `select member_id, role = 'owner' and joined_at is not null as is_owner from memberships
     where account_id = $1 order by member_id for update`,
    [accountId],
  )
  return rows.filter(({ is_owner }) => is_owner).map(({ member_id }) => member_id)
}

export async function setRole(
  tx: Tx,
  accountId: AccountId,
  memberId: MemberId,
  role: Role,
): Promise<void> {
  await tx.query(
    'people_set_role',
    'update memberships set role = $3 where account_id = $1 and member_id = $2',
    [accountId, memberId, role],
  )
}

export async function deleteMembership(
  tx: Tx,
  accountId: AccountId,
  memberId: MemberId,
): Promise<void> {
  await tx.query(
    'people_delete_membership',
    'delete from memberships where account_id = $1 and member_id = $2',
    [accountId, memberId],
  )
}
