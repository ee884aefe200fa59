import type { Role } from '@florin/wire/role.ts'
import type { AccountId, MemberId, SessionId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { lesserRole, parseRole } from './role.ts'

export type SignInMethod = 'link' | 'password' | 'passkey'

/** A session as it begins. */
export interface NewSession {
  readonly sessionId: SessionId
  readonly memberId: MemberId
  readonly account: { readonly accountId: AccountId; readonly role: Role } | null
  readonly isOperator: boolean
  readonly method: SignInMethod
  readonly address: string
  readonly userAgent: string
  readonly createdAtMilliseconds: number
  readonly seenAtMilliseconds: number
  readonly expiresAtMilliseconds: number
}

/** A session that nobody has ended, with what its person may do now. */
export interface FoundSession {
  readonly sessionId: SessionId
  readonly digest: Uint8Array
  readonly memberId: MemberId
  readonly calledName: string
  /** Null when it has no account, or the person is no longer a member of it. */
  readonly account: { readonly accountId: AccountId; readonly role: Role } | null
  readonly isOperator: boolean
  readonly seenAtMilliseconds: number
  readonly expiresAtMilliseconds: number
}

interface FoundRow {
  readonly id: SessionId
  readonly token_digest: Uint8Array
  readonly member_id: MemberId
  readonly called: string
  readonly account_id: AccountId | null
  readonly given_role: string | null
  readonly role_now: string | null
  readonly is_operator: boolean
  readonly seen_at: Date
  readonly expires_at: Date
}

export async function insertSession(
  tx: Tx,
  session: NewSession,
  digest: Uint8Array,
): Promise<void> {
  await tx.query(
    'people_insert_session',
    `insert into sessions
       (id, token_digest, member_id, selected_account_id, role, is_operator, method, address, user_agent,
        created_at, seen_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9,
        to_timestamp($10 / 1000.0), to_timestamp($11 / 1000.0), to_timestamp($12 / 1000.0))`,
    [
      session.sessionId,
      digest,
      session.memberId,
      session.account?.accountId ?? null,
      session.account?.role ?? null,
      session.isOperator,
      session.method,
      session.address,
      session.userAgent,
      session.createdAtMilliseconds,
      session.seenAtMilliseconds,
      session.expiresAtMilliseconds,
    ],
  )
}

const FIND = `
  select s.id, s.token_digest, s.member_id, coalesce(m.email, m.name) as called,
         s.selected_account_id as account_id, s.role as given_role, p.role as role_now,
         s.is_operator and m.is_operator as is_operator, s.seen_at, s.expires_at, s.created_at
  from sessions s
  join members m on m.id = s.member_id
  left join memberships p on p.member_id = s.member_id and p.account_id = s.selected_account_id
    and p.joined_at is not null
  where s.ended_at is null and`

/** The session with this digest unless it was ended. Asked before anybody knows whose it is. */
export async function findSessionByDigest(
  store: Pick<Store, 'query'>,
  digest: Uint8Array,
): Promise<FoundSession | undefined> {
  const [row] = await store.query<FoundRow>('people_find_session', `${FIND} s.token_digest = $1`, [
    digest,
  ])
  return row && toFound(row)
}

/** The same by their ids, in no order. */
export async function findSessions(
  store: Pick<Store, 'query'>,
  sessionIds: readonly SessionId[],
): Promise<readonly FoundSession[]> {
  const rows = await store.query<FoundRow>('people_find_sessions', `${FIND} s.id = any($1)`, [
    sessionIds,
  ])
  return rows.map(toFound)
}

function toFound(row: FoundRow): FoundSession {
  const [given, now] = [parseRole(row.given_role), parseRole(row.role_now)]
  const account =
    row.account_id === null || given === undefined || now === undefined
      ? null
      : { accountId: row.account_id, role: lesserRole(given, now) }
  return {
    sessionId: row.id,
    digest: row.token_digest,
    memberId: row.member_id,
    calledName: row.called,
    account,
    isOperator: row.is_operator,
    seenAtMilliseconds: row.seen_at.getTime(),
    expiresAtMilliseconds: row.expires_at.getTime(),
  }
}

/** Notes that the session was used, unless a later use is noted already. */
export async function markSessionSeen(
  store: Pick<Store, 'inTransaction'>,
  sessionId: SessionId,
  nowMilliseconds: number,
): Promise<void> {
  await store.inTransaction('service', (tx) =>
    tx.query(
      'people_see_session',
      `update sessions set seen_at = to_timestamp($2 / 1000.0) where id = $1 and seen_at < to_timestamp($2 / 1000.0)`,
      [sessionId, nowMilliseconds],
    ),
  )
}

/** What a session is now, read in a transaction. */
export async function findOwnSession(
  tx: Tx,
  sessionId: SessionId,
): Promise<(FoundSession & { readonly createdAtMilliseconds: number }) | undefined> {
  const [row] = await tx.query<FoundRow & { readonly created_at: Date }>(
    'people_own_session',
    `${FIND} s.id = $1`,
    [sessionId],
  )
  return row && { ...toFound(row), createdAtMilliseconds: row.created_at.getTime() }
}

/** A session as its person sees it in a list. */
export interface SessionView {
  readonly sessionId: SessionId
  readonly method: SignInMethod
  readonly address: string
  readonly userAgent: string
  readonly createdAtMilliseconds: number
  readonly seenAtMilliseconds: number
  readonly expiresAtMilliseconds: number
}

interface ViewRow {
  readonly id: SessionId
  readonly method: SignInMethod
  readonly address: string
  readonly user_agent: string
  readonly created_at: Date
  readonly seen_at: Date
  readonly expires_at: Date
}

/** The live sessions of a person that were used since, newest first. */
export async function listLiveSessions(
  tx: Tx,
  memberId: MemberId,
  {
    nowMilliseconds,
    seenSinceMilliseconds,
    count,
  }: {
    readonly nowMilliseconds: number
    readonly seenSinceMilliseconds: number
    readonly count: number
  },
): Promise<readonly SessionView[]> {
  const rows = await tx.query<ViewRow>(
    'people_list_sessions',
    `select id, method, address, user_agent, created_at, seen_at, expires_at from sessions
     where member_id = $1 and ended_at is null and expires_at > to_timestamp($2 / 1000.0)
       and seen_at > to_timestamp($3 / 1000.0)
     order by created_at desc, id limit $4`,
    [memberId, nowMilliseconds, seenSinceMilliseconds, count],
  )
  return rows.map((row) => ({
    sessionId: row.id,
    method: row.method,
    address: row.address,
    userAgent: row.user_agent,
    createdAtMilliseconds: row.created_at.getTime(),
    seenAtMilliseconds: row.seen_at.getTime(),
    expiresAtMilliseconds: row.expires_at.getTime(),
  }))
}

/** The account that the person's latest session was about. */
export async function lastSelectedAccount(
  tx: Tx,
  memberId: MemberId,
): Promise<AccountId | undefined> {
  const rows = await tx.query<{ account_id: AccountId }>(
    'people_last_account',
    `select selected_account_id as account_id from sessions
     where member_id = $1 and selected_account_id is not null order by created_at desc, id limit 1`,
    [memberId],
  )
  return rows[0]?.account_id
}

/** Removes sessions that ended or lapsed long ago, a bounded number at a time. Says how many. */
export async function forgetSessions(
  tx: Tx,
  beforeMilliseconds: number,
  count: number,
): Promise<number> {
  const removed = await tx.query(
    'people_forget_sessions',
    `delete from sessions where id in (
       select id from sessions where expires_at < to_timestamp($1 / 1000.0) order by expires_at limit $2)
     returning 1`,
    [beforeMilliseconds, count],
  )
  return removed.length
}
