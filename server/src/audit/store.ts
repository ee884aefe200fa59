import type { AccountId, AuditId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { AuditEntry, AuditFact } from './entry.ts'
import { AUDIT_COLUMNS, entryOf } from './row.ts'
import type { AuditRow } from './row.ts'

export async function insertAudit(
  tx: Tx,
  { accountId, actor, action, object, details = {} }: AuditFact,
  auditId: AuditId,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'audit_insert',
    `insert into audit_log
       (id, account_id, actor, actor_id, actor_name, action, object, address, request_id, details, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0))`,
    [
      auditId,
      accountId,
      actor.kind,
      actor.id,
      actor.name,
      action,
      object,
      actor.address,
      actor.requestId,
      JSON.stringify(details),
      nowMilliseconds,
    ],
  )
}

/**
 * Entries of an account, or of the installation for null, newest first, older than the one named `before`. An unknown `before` gives
 * none.
 */
export async function listAudit(
  tx: Tx,
  accountId: AccountId | null,
  { before, count }: { readonly before: string | undefined; readonly count: number },
): Promise<readonly AuditEntry[]> {
  const rows = await tx.query<AuditRow>(
    'audit_list',
    `select ${AUDIT_COLUMNS}
     from audit_log
     where account_id is not distinct from $1
       and ($2::text is null or position < (
         select position from audit_log where id = $2 and account_id is not distinct from $1))
     order by position desc limit $3`,
    [accountId, before ?? null, count],
  )
  return rows.map(entryOf)
}
