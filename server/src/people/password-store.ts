import type { MemberId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'

/** Whose email address it is, with the hash of their password; null: they have none. Undefined: nobody's. */
export async function findPasswordByEmail(
  store: Pick<Store, 'query'>,
  email: string,
): Promise<{ readonly memberId: MemberId; readonly hash: string | null } | undefined> {
  const [row] = await store.query<{ id: MemberId; hash: string | null }>(
    'people_password_by_email',
    `select m.id, p.hash from members m left join passwords p on p.member_id = m.id where m.email = $1`,
    [email],
  )
  return row && { memberId: row.id, hash: row.hash }
}

/** The hash of a person's password; undefined: they have none. */
export async function findPassword(
  reader: Pick<Store, 'query'> | Tx,
  memberId: MemberId,
): Promise<string | undefined> {
  const [row] = await reader.query<{ hash: string }>(
    'people_password',
    'select hash from passwords where member_id = $1',
    [memberId],
  )
  return row?.hash
}

export async function putPassword(
  tx: Tx,
  memberId: MemberId,
  hash: string,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'people_put_password',
    `insert into passwords (member_id, hash, set_at) values ($1, $2, to_timestamp($3 / 1000.0))
     on conflict (member_id) do update set hash = excluded.hash, set_at = excluded.set_at`,
    [memberId, hash, nowMilliseconds],
  )
}

/** What opens a session for a person. */
export async function countWaysIn(
  tx: Tx,
  memberId: MemberId,
): Promise<{ readonly hasPassword: boolean; readonly passkeys: number }> {
  const [row] = await tx.query<{ has_password: boolean; passkeys: number }>(
    'people_ways_in',
    `select exists (select from passwords where member_id = $1) as has_password,
            (select count(*)::integer from passkeys where member_id = $1) as passkeys`,
    [memberId],
  )
  return { hasPassword: row?.has_password ?? false, passkeys: row?.passkeys ?? 0 }
}
