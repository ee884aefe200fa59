import type { MemberId, SessionId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { SignInMethod } from './session-store.ts'

/** Ends the oldest sessions of a person, so that so many stay. */
export async function endOldestSessions(
  tx: Tx,
  memberId: MemberId,
  kept: number,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'people_end_oldest',
    `update sessions set ended_at = to_timestamp($3 / 1000.0) where id in (
       select id from sessions
       where member_id = $1 and ended_at is null and expires_at > to_timestamp($3 / 1000.0)
       order by created_at desc, id offset $2)`,
    [memberId, kept, nowMilliseconds],
  )
}

/** Ends a session of a person. False: there is no such live one. */
export async function endSession(
  tx: Tx,
  memberId: MemberId,
  sessionId: string,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'people_end_session',
    `update sessions set ended_at = to_timestamp($3 / 1000.0)
     where id = $1 and member_id = $2 and ended_at is null and expires_at > to_timestamp($3 / 1000.0) returning id`,
    [sessionId, memberId, nowMilliseconds],
  )
  return rows.length === 1
}

/** Ends every session of a person but one. */
export async function endOtherSessions(
  tx: Tx,
  memberId: MemberId,
  keptId: SessionId | null,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'people_end_others',
    `update sessions set ended_at = to_timestamp($3 / 1000.0)
     where member_id = $1 and ended_at is null and id is distinct from $2`,
    [memberId, keptId, nowMilliseconds],
  )
}

/** Ends the session with this digest, whoever's it is. */
export async function endSessionByDigest(
  tx: Tx,
  digest: Uint8Array,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'people_end_by_digest',
    `update sessions set ended_at = to_timestamp($2 / 1000.0) where token_digest = $1 and ended_at is null`,
    [digest, nowMilliseconds],
  )
}

/** Ends a session that another takes the place of. Undefined: there is no such live one, or somebody was faster. */
export async function endSessionForRenewal(
  tx: Tx,
  memberId: MemberId,
  sessionId: SessionId,
  nowMilliseconds: number,
) {
  const [row] = await tx.query<{
    method: SignInMethod
    address: string
    user_agent: string
    expires_at: Date
  }>(
    'people_end_for_renewal',
    `update sessions set ended_at = to_timestamp($3 / 1000.0)
     where id = $1 and member_id = $2 and ended_at is null and expires_at > to_timestamp($3 / 1000.0)
     returning method, address, user_agent, expires_at`,
    [sessionId, memberId, nowMilliseconds],
  )
  return (
    row && {
      method: row.method,
      address: row.address,
      userAgent: row.user_agent,
      expiresAtMilliseconds: row.expires_at.getTime(),
    }
  )
}

/** Takes the row lock of a session, so that nobody ends it before the transaction does. False: it was ended. */
export async function holdSession(tx: Tx, sessionId: SessionId): Promise<boolean> {
  const rows = await tx.query(
    'people_hold_session',
    'select from sessions where id = $1 and ended_at is null for share',
    [sessionId],
  )
  return rows.length === 1
}
