import type { Role } from '@florin/wire/role.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { parseRole } from './role.ts'

/** A person, without what opens a session for them. */
export interface Member {
  readonly memberId: MemberId
  readonly email: string | null
  readonly name: string
  readonly isOperator: boolean
}

/** A person's place in an account. */
export interface Membership {
  readonly accountId: AccountId
  readonly role: Role
  /** Null: invited, and not yet come. */
  readonly joinedAtMilliseconds: number | null
}

interface MemberRow {
  readonly id: MemberId
  readonly email: string | null
  readonly name: string
  readonly is_operator: boolean
}

/** Advisory lock of the one moment at which the first operator is made; "oper" in ASCII. */
const FIRST_OPERATOR_LOCK = 0x6f706572

function toMember({ id, email, name, is_operator }: MemberRow): Member {
  return { memberId: id, email, name, isOperator: is_operator }
}

function roleOf(text: string): Role {
  const role = parseRole(text)
  if (role === undefined) throw new Error('a membership has a role that nobody knows')
  return role
}

/** Makes a person, unless somebody has that email address. */
export async function insertMember(tx: Tx, member: Member, nowMilliseconds: number): Promise<void> {
  await tx.query(
    'people_insert_member',
    `insert into members (id, email, name, is_operator, created_at) values ($1, $2, $3, $4, to_timestamp($5 / 1000.0))
     on conflict (email) do nothing`,
    [member.memberId, member.email, member.name, member.isOperator, nowMilliseconds],
  )
}

export async function findMember(tx: Tx, memberId: MemberId): Promise<Member | undefined> {
  const rows = await tx.query<MemberRow>(
    'people_find_member',
    'select id, email, name, is_operator from members where id = $1',
    [memberId],
  )
  return rows[0] && toMember(rows[0])
}

export async function findMemberByEmail(tx: Tx, email: string): Promise<Member | undefined> {
  const rows = await tx.query<MemberRow>(
    'people_find_by_email',
    'select id, email, name, is_operator from members where email = $1',
    [email],
  )
  return rows[0] && toMember(rows[0])
}

/** Takes the person's row lock until the transaction ends. */
export async function lockMember(tx: Tx, memberId: MemberId): Promise<void> {
  await tx.query('people_lock_member', 'select from members where id = $1 for no key update', [
    memberId,
  ])
}

/** Leaves what is null as it is. */
export async function updateProfile(
  tx: Tx,
  memberId: MemberId,
  { name, email }: { readonly name: string | null; readonly email: string | null },
): Promise<void> {
  await tx.query(
    'people_update_profile',
    'update members set name = coalesce($2, name), email = coalesce($3, email) where id = $1',
    [memberId, name, email],
  )
}

/** Until the transaction ends nobody else makes a first operator. */
export async function lockFirstOperator(tx: Tx): Promise<void> {
  await tx.query('people_lock_operator', 'select pg_advisory_xact_lock($1)', [FIRST_OPERATOR_LOCK])
}

/** The operators, oldest first. */
export async function findOperators(tx: Tx): Promise<readonly Member[]> {
  const rows = await tx.query<MemberRow>(
    'people_find_operators',
    'select id, email, name, is_operator from members where is_operator order by created_at, id',
  )
  return rows.map(toMember)
}

/** Whether anybody runs the installation yet. */
export async function hasOperator(store: Pick<Store, 'query'>): Promise<boolean> {
  const rows = await store.query(
    'people_has_operator',
    'select from members where is_operator limit 1',
  )
  return rows.length === 1
}

/** Where a person is a member or invited, oldest first. */
export async function findMemberships(tx: Tx, memberId: MemberId): Promise<readonly Membership[]> {
  const rows = await tx.query<{ account_id: AccountId; role: string; joined_at: Date | null }>(
    'people_find_memberships',
    `select account_id, role, joined_at from memberships where member_id = $1 order by created_at, account_id`,
    [memberId],
  )
  return rows.map(({ account_id, role, joined_at }) => ({
    accountId: account_id,
    role: roleOf(role),
    joinedAtMilliseconds: joined_at?.getTime() ?? null,
  }))
}

/** Gives a person a place in an account, or another role there; a place that was taken up stays so. Without `invitedAs` it is taken up at once. */
export async function putMembership(
  tx: Tx,
  {
    memberId,
    accountId,
    role,
    invitedAs,
  }: {
    readonly memberId: MemberId
    readonly accountId: AccountId
    readonly role: Role
    /** What the account sees of them until they have come. */
    readonly invitedAs?: { readonly name: string; readonly email: string }
  },
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'people_put_membership',
    `insert into memberships (account_id, member_id, role, created_at, joined_at, invited_name, invited_email)
     values ($1, $2, $3, to_timestamp($4 / 1000.0), case when $5 then to_timestamp($4 / 1000.0) end, $6, $7)
     on conflict (account_id, member_id) do update
     set role = excluded.role, joined_at = coalesce(memberships.joined_at, excluded.joined_at),
       invited_name = excluded.invited_name, invited_email = excluded.invited_email`,
    [
      accountId,
      memberId,
      role,
      nowMilliseconds,
      invitedAs === undefined,
      invitedAs?.name ?? null,
      invitedAs?.email ?? null,
    ],
  )
}

/** The person takes the place up. False: there is none. */
export async function joinAccount(
  tx: Tx,
  accountId: AccountId,
  memberId: MemberId,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'people_join',
    `update memberships set joined_at = coalesce(joined_at, to_timestamp($3 / 1000.0))
     where account_id = $1 and member_id = $2 returning member_id`,
    [accountId, memberId, nowMilliseconds],
  )
  return rows.length === 1
}

/** The role of somebody who has come, held as it is until the transaction ends. Undefined: they are no member. */
export async function holdRole(
  tx: Tx,
  accountId: AccountId,
  memberId: MemberId,
): Promise<Role | undefined> {
  const [row] = await tx.query<{ role: string }>(
    'people_hold_role',
    `select role from memberships
     where account_id = $1 and member_id = $2 and joined_at is not null for share`,
    [accountId, memberId],
  )
  return row && roleOf(row.role)
}
