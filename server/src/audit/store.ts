import type { AccountId, AuditId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { AuditEntry, AuditFact } from './entry.ts'

interface Row {
  readonly id: AuditId
  readonly account_id: AccountId | null
  readonly actor: 'member' | 'key' | 'system'
  readonly actor_id: string | null
  readonly actor_name: string | null
  readonly action: string
  readonly object: string | null
  readonly address: string | null
  readonly request_id: string | null
  readonly details: string
  readonly created_at: Date
}

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
  const rows = await tx.query<Row>(
    'audit_list',
    `select id, account_id, actor, actor_id, actor_name, action, object, address, request_id,
            details::text as details, created_at
     from audit_log
     where account_id is not distinct from $1
       and ($2::text is null or position < (
         select position from audit_log where id = $2 and account_id is not distinct from $1))
     order by position desc limit $3`,
    [accountId, before ?? null, count],
  )
  return rows.map((row) => ({
    auditId: row.id,
    accountId: row.account_id,
    actor: {
      kind: row.actor,
      id: row.actor_id,
      name: row.actor_name,
      address: row.address,
      requestId: row.request_id,
    },
    action: row.action,
    object: row.object,
    detailsText: row.details,
    atMilliseconds: row.created_at.getTime(),
  }))
}
