import type { CredentialId } from '../kernel/caller.ts'
import type { AccountId, KeyId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** Lets a key end at that time, unless it ends earlier anyway. */
export async function endKeyAt(
  tx: Tx,
  accountId: AccountId,
  keyId: KeyId,
  atMilliseconds: number,
): Promise<void> {
  await tx.query(
    'access_end_key_at',
    `update api_keys set expires_at = least(coalesce(expires_at, 'infinity'), to_timestamp($3 / 1000.0))
     where account_id = $1 and id = $2 and deleted_at is null`,
    [accountId, keyId, atMilliseconds],
  )
}

/** Deletes the keys of an account that have expired, `count` at most, but for the `kept` that expired last. */
export async function dropExpiredKeys(
  tx: Tx,
  accountId: AccountId,
  nowMilliseconds: number,
  { kept, count }: { readonly kept: number; readonly count: number },
): Promise<void> {
  await tx.query(
    'access_drop_expired_keys',
    `update api_keys set deleted_at = to_timestamp($2 / 1000.0) where id in (
       select id from api_keys
       where account_id = $1 and deleted_at is null and expires_at <= to_timestamp($2 / 1000.0)
       order by expires_at desc, id offset $3 limit $4)`,
    [accountId, nowMilliseconds, kept, count],
  )
}

/** Takes the row lock of a key, so that it lives as long as the transaction. False: it was deleted, or is past its time. */
export async function holdKey(
  tx: Tx,
  accountId: AccountId,
  keyId: CredentialId,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'access_hold_key',
    `select from api_keys where account_id = $1 and id = $2 and deleted_at is null
       and (expires_at is null or expires_at > to_timestamp($3 / 1000.0)) for share`,
    [accountId, keyId, nowMilliseconds],
  )
  return rows.length === 1
}
