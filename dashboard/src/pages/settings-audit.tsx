import { useState } from 'react'
import type { Answer } from '../api/operation.ts'
import { usePages } from '../api/use-pages.ts'
import { shortText } from '../format/short-text.ts'
import { exactTime } from '../format/time-text.ts'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { LoadMore } from '../parts/load-more.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'

type Entry = Answer<'GET /audit'>['entries'][number]

/** Who changed what, newest first. */
export function AuditLog() {
  const [shown, setShown] = useState<Entry | null>(null)
  const list = usePages('GET /audit', {
    asked: 'account',
    input: (cursor) => ({ query: { cursor } }),
    next: ({ nextCursor }) => nextCursor,
  })
  const entries = list.pages?.flatMap((page) => page.entries) ?? []
  const columns: readonly Column<Entry>[] = [
    { header: 'When', cell: ({ at }) => <Time at={at} /> },
    {
      header: 'What',
      cell: ({ action }) => <span className="font-mono text-[0.8125rem]">{action}</span>,
    },
    {
      header: 'To',
      cell: ({ object }) =>
        object === null ? (
          ''
        ) : (
          <span className="font-mono text-[0.8125rem]" title={object}>
            {shortText(object)}
          </span>
        ),
    },
    {
      header: 'Who',
      cell: ({ actor, actorName }) => actorName ?? (actor === 'system' ? 'the service' : actor),
    },
    { header: 'From', cell: ({ address }) => address ?? '' },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      cell: (entry) => (
        <Button kind="quiet" onClick={() => setShown(entry)}>
          Show details
        </Button>
      ),
    },
  ]
  return (
    <>
      {list.error === null ? null : <ErrorPanel error={list.error} onRetry={list.retry} />}
      {list.pages === undefined ? (
        list.error === null ? (
          <SkeletonRows />
        ) : null
      ) : entries.length === 0 ? (
        <Empty title="Nothing was changed yet">Every change of this account is kept here.</Empty>
      ) : (
        <Table
          caption="Audit log"
          columns={columns}
          rows={entries}
          rowKey={({ auditId }) => auditId}
        />
      )}
      <LoadMore of={list} />
      {shown === null ? null : (
        <Dialog title={`${shown.action}, ${exactTime(shown.at)}`} onClose={() => setShown(null)}>
          <CodeBlock code={JSON.stringify(shown, null, 2)} what="entry" />
        </Dialog>
      )}
    </>
  )
}
