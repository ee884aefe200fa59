import type { AccountId, MemberId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** What a link is for; see docs/concepts/people.md. */
export type Link =
  | { readonly kind: 'first_operator' }
  | { readonly kind: 'operator' | 'sandbox'; readonly memberId: MemberId }
  | { readonly kind: 'invitation'; readonly memberId: MemberId; readonly accountId: AccountId }

interface Row {
  readonly kind: Link['kind']
  readonly member_id: MemberId | null
  readonly account_id: AccountId | null
}

export async function insertLink(
  tx: Tx,
  link: Link,
  {
    digest,
    createdAtMilliseconds,
    expiresAtMilliseconds,
  }: {
    readonly digest: Uint8Array
    readonly createdAtMilliseconds: number
    /** Null for the sandbox's. */
    readonly expiresAtMilliseconds: number | null
  },
): Promise<void> {
  await tx.query(
    'people_insert_link',
    `insert into sign_in_links (digest, kind, member_id, account_id, created_at, expires_at)
     values ($1, $2, $3, $4, to_timestamp($5 / 1000.0), to_timestamp($6 / 1000.0))`,
    [
      digest,
      link.kind,
      'memberId' in link ? link.memberId : null,
      'accountId' in link ? link.accountId : null,
      createdAtMilliseconds,
      expiresAtMilliseconds,
    ],
  )
}

/** The link, unless it was used or its time is over. Until the transaction ends nobody else uses it. */
export async function lockLink(
  tx: Tx,
  digest: Uint8Array,
  nowMilliseconds: number,
): Promise<Link | undefined> {
  const [row] = await tx.query<Row>(
    'people_lock_link',
    `select kind, member_id, account_id from sign_in_links
     where digest = $1 and used_at is null and (expires_at is null or expires_at > to_timestamp($2 / 1000.0))
     for update`,
    [digest, nowMilliseconds],
  )
  if (row === undefined) return undefined
  const { kind, member_id: memberId, account_id: accountId } = row
  if (kind === 'first_operator') return { kind }
  if (memberId === null) throw new Error('a link is of nobody')
  if (kind !== 'invitation') return { kind, memberId }
  if (accountId === null) throw new Error('an invitation leads nowhere')
  return { kind, memberId, accountId }
}

export async function markLinkUsed(
  tx: Tx,
  digest: Uint8Array,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'people_use_link',
    'update sign_in_links set used_at = to_timestamp($2 / 1000.0) where digest = $1',
    [digest, nowMilliseconds],
  )
}

/** Removes the links of a sandbox that ran before. */
export async function dropSandboxLinks(tx: Tx): Promise<void> {
  await tx.query('people_drop_sandbox_links', `delete from sign_in_links where kind = 'sandbox'`)
}

/** Removes the unused invitations of a person into an account. */
export async function dropInvitations(
  tx: Tx,
  accountId: AccountId,
  memberId: MemberId,
): Promise<void> {
  await tx.query(
    'people_drop_invitations',
    `delete from sign_in_links where account_id = $1 and member_id = $2 and used_at is null`,
    [accountId, memberId],
  )
}

/** Removes every unused invitation into an account: whoever was its owner may hold them. */
export async function dropAllInvitations(tx: Tx, accountId: AccountId): Promise<void> {
  await tx.query(
    'people_drop_all_invitations',
    `delete from sign_in_links where account_id = $1 and kind = 'invitation' and used_at is null`,
    [accountId],
  )
}

/** Removes links whose time is over, a bounded number at a time. Says how many. */
export async function forgetLinks(
  tx: Tx,
  beforeMilliseconds: number,
  count: number,
): Promise<number> {
  const removed = await tx.query(
    'people_forget_links',
    `delete from sign_in_links where digest in (
       select digest from sign_in_links where expires_at < to_timestamp($1 / 1000.0) order by expires_at limit $2)
     returning 1`,
    [beforeMilliseconds, count],
  )
  return removed.length
}
