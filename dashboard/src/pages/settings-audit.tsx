import { usePages } from '../api/use-pages.ts'
import { AuditTable } from './audit-table.tsx'

/** Who changed what in the account, newest first. */
export function AuditLog() {
  const list = usePages('GET /audit', {
    asked: 'account',
    input: (cursor) => ({ query: { cursor } }),
    next: ({ nextCursor }) => nextCursor,
    rows: (page) => page.entries,
    rowKey: ({ auditId }) => auditId,
    rowTime: ({ at }) => at,
  })
  return (
    <AuditTable
      list={list}
      entries={list.rows}
      empty={{
        title: 'Nothing was changed yet',
        says: 'Every change of this account is kept here.',
      }}
    />
  )
}
