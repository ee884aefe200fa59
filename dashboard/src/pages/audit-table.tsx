import { useMemo, useState } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { parseNetworkId } from '@florin/wire/network.ts'
import type { Answer } from '../api/operation.ts'
import type { Pages } from '../api/use-pages.ts'
import { shortText } from '../format/short-text.ts'
import { exactTime } from '../format/time-text.ts'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { LoadMore } from '../parts/load-more.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { NetworkName } from './network-name.tsx'

/** A change, with its account where changes of several are listed. */
export type AuditRow = Answer<'GET /audit'>['entries'][number] & {
  readonly accountId?: string | null
}

/** Changes, newest first, page by page, each with its details when asked for. */
export function AuditTable({
  list,
  entries,
  empty,
  showsAccount = false,
}: {
  list: ComponentProps<typeof LoadMore>['of'] & Pick<Pages<unknown, unknown>, 'error' | 'read'>
  /** Undefined until the first page has come. */
  entries: readonly AuditRow[] | undefined
  empty: { readonly title: string; readonly says: ReactNode }
  showsAccount?: boolean
}) {
  const [shown, setShown] = useState<AuditRow | null>(null)
  const columns = useMemo(() => columnsOf(showsAccount, setShown), [showsAccount])
  return (
    <>
      <ReadFault of={list.read} />
      {entries === undefined ? (
        list.error === null ? (
          <SkeletonRows />
        ) : null
      ) : entries.length === 0 ? (
        <Empty title={empty.title}>{empty.says}</Empty>
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

function columnsOf(
  showsAccount: boolean,
  onShow: (entry: AuditRow) => void,
): readonly Column<AuditRow>[] {
  return [
    { header: 'When', narrow: 2, cell: ({ at }) => <Time at={at} /> },
    {
      header: 'What',
      narrow: 1,
      cell: ({ action }) => <span className="font-mono text-[0.8125rem]">{action}</span>,
    },
    {
      header: 'To',
      narrow: 'line',
      cell: ({ object, accountId }) => (
        <>
          {object === null ? null : <ObjectName text={object} />}
          {/* On a narrow screen it has no column of its own. */}
          {showsAccount ? (
            <span className="text-soft sm:hidden">
              {' '}
              in <AccountName id={accountId} />
            </span>
          ) : null}
        </>
      ),
    },
    ...(showsAccount
      ? [
          {
            header: 'Account',
            cell: ({ accountId }: AuditRow) => <AccountName id={accountId} />,
          },
        ]
      : []),
    {
      header: 'Who',
      narrow: 3,
      cell: (entry) => (
        <>
          <NarrowName>by </NarrowName>
          <Actor entry={entry} />
        </>
      ),
    },
    { header: 'From', spare: true, cell: ({ address }) => address ?? '' },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      narrow: 4,
      cell: (entry) => (
        <Button
          kind="quiet"
          aria-label={`Show details of ${entry.action}`}
          onClick={() => onShow(entry)}
        >
          Details
        </Button>
      ),
    },
  ]
}

/** Who did it. Before a key's name was noted with what it did, there is its id alone. */
function Actor({ entry: { actor, actorId, actorName } }: { entry: AuditRow }) {
  if (actorId === null) return 'the service'
  if (actorName === null) return <Name text={actorId} />
  return <span title={actorId}>{actor === 'key' ? `key ${actorName}` : actorName}</span>
}

function AccountName({ id }: { id: string | null | undefined }) {
  return typeof id === 'string' ? <Name text={id} /> : 'the installation'
}

/** What was changed: a network by its name, everything else by its id. */
function ObjectName({ text }: { text: string }) {
  return parseNetworkId(text) === undefined ? <Name text={text} /> : <NetworkName id={text} />
}

function Name({ text }: { text: string }) {
  return (
    <span className="font-mono text-[0.8125rem] whitespace-nowrap" title={text}>
      {shortText(text)}
    </span>
  )
}
