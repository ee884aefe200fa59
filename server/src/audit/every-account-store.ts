import type { AccountId, AuditId } from '../kernel/id.ts'
import { planForValues } from '../store/plan-for-values.ts'
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

/** What a list is narrowed by; what is undefined narrows nothing. */
export interface AuditFilter {
  readonly accountId: string | undefined
  /** How the action begins. */
  readonly action: string | undefined
  readonly object: string | undefined
}

/**
 * Entries of all accounts and of the installation that fit, newest first: for operators. An unknown `after` gives none. By action or object
 * alone it reads the log from its end until a page is full.
 */
export async function pageOfAudit(
  tx: Tx,
  { accountId, action, object }: AuditFilter,
  { after, count }: { readonly after: string | undefined; readonly count: number },
): Promise<readonly AuditEntry[]> {
  await planForValues(tx)
  const rows = await tx.query<Row>(
    'audit_every_account',
    `select id, account_id, actor, actor_id, actor_name, action, object, address, request_id,
            details::text as details, created_at
     from audit_log
     where ($1::text is null or account_id = $1)
       and ($2::text is null or position < (select position from audit_log where id = $2))
       and ($4::text is null or starts_with(action, $4)) and ($5::text is null or object = $5)
     order by position desc limit $3`,
    [accountId ?? null, after ?? null, count, action ?? null, object ?? null],
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
