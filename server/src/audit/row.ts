import type { AccountId, AuditId } from '../kernel/id.ts'
import type { AuditEntry } from './entry.ts'

/** What a statement selects of `audit_log` for `entryOf`. */
export const AUDIT_COLUMNS = `id, account_id, actor, actor_id, actor_name, action, object, address, request_id,
            details::text as details, created_at`

export interface AuditRow {
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

export function entryOf(row: AuditRow): AuditEntry {
  return {
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
  }
}
