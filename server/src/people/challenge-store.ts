import type { MemberId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

export async function insertChallenge(
  tx: Tx,
  digest: Uint8Array,
  /** Who makes a passkey; null for signing in. */
  memberId: MemberId | null,
  expiresAtMilliseconds: number,
): Promise<void> {
  await tx.query(
    'people_insert_challenge',
    `insert into passkey_challenges (digest, member_id, expires_at) values ($1, $2, to_timestamp($3 / 1000.0))`,
    [digest, memberId, expiresAtMilliseconds],
  )
}

/** Takes the challenge, so that it is gone. False: nobody was asked it, not this person, or its time is over. */
export async function takeChallenge(
  tx: Tx,
  digest: Uint8Array,
  memberId: MemberId | null,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'people_take_challenge',
    `delete from passkey_challenges
     where digest = $1 and member_id is not distinct from $2 and expires_at > to_timestamp($3 / 1000.0)
     returning digest`,
    [digest, memberId, nowMilliseconds],
  )
  return rows.length === 1
}

/** Removes challenges that nobody answered in time. Says how many. */
export async function forgetChallenges(
  tx: Tx,
  nowMilliseconds: number,
  count: number,
): Promise<number> {
  const removed = await tx.query(
    'people_forget_challenges',
    `delete from passkey_challenges where digest in (
       select digest from passkey_challenges where expires_at < to_timestamp($1 / 1000.0) order by expires_at limit $2)
     returning 1`,
    [nowMilliseconds, count],
  )
  return removed.length
}
