import type { AccountId, AuditId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import type { AuditEntry } from './entry.ts'

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

/** Entries of all accounts and of the installation, or of one account, newest first: for operators. An unknown `after` gives none. */
export async function pageOfAudit(
  tx: Tx,
  accountId: string | undefined,
  { after, count }: { readonly after: string | undefined; readonly count: number },
): Promise<readonly AuditEntry[]> {
  const rows = await tx.query<Row>(
    'audit_every_account',
    `select id, account_id, actor, actor_id, actor_name, action, object, address, request_id,
            details::text as details, created_at
     from audit_log
     where ($1::text is null or account_id = $1)
       and ($2::text is null or position < (select position from audit_log where id = $2))
     order by position desc limit $3`,
    [accountId ?? null, after ?? null, count],
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
