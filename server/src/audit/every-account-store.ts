import { planForValues } from '../store/plan-for-values.ts'
import type { Tx } from '../store/postgres.ts'
import type { AuditEntry } from './entry.ts'
import { AUDIT_COLUMNS, entryOf } from './row.ts'
import type { AuditRow } from './row.ts'

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
  const rows = await tx.query<AuditRow>(
    'audit_every_account',
    `select ${AUDIT_COLUMNS}
     from audit_log
     where ($1::text is null or account_id = $1)
       and ($2::text is null or position < (select position from audit_log where id = $2))
       and ($4::text is null or starts_with(action, $4)) and ($5::text is null or object = $5)
     order by position desc limit $3`,
    [accountId ?? null, after ?? null, count, action ?? null, object ?? null],
  )
  return rows.map(entryOf)
}
