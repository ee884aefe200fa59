import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { limitText } from '../format/limit-text.ts'
import { PageHeader } from '../parts/page-header.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'

export type PlanFacts = Answer<'GET /operator/plans'>['plans'][number]

const COLUMNS: readonly Column<PlanFacts>[] = [
  { header: 'Plan', cell: ({ plan }) => <PageLink to={`/plans/${plan}`}>{plan}</PageLink> },
  {
    header: 'Requests per minute',
    align: 'right',
    cell: ({ requestsPerMinute }) => limitText(requestsPerMinute),
  },
  { header: 'Event sockets', align: 'right', cell: ({ eventSockets }) => limitText(eventSockets) },
  {
    header: 'Socket messages per second',
    align: 'right',
    cell: ({ socketMessagesPerSecond }) => limitText(socketMessagesPerSecond),
  },
  { header: 'Exceptions', align: 'right', cell: ({ exceptions }) => exceptions.length },
  { header: 'Accounts', align: 'right', cell: ({ accounts }) => accounts },
]

/** The plans of the installation, for whoever runs it. */
export function Page() {
  const read = useAnswer('GET /operator/plans')
  const { data, error } = read
  return (
    <>
      <PageHeader title="Plans">
        What each plan allows. A change holds for every key of the plan within seconds.
      </PageHeader>
      <ReadFault of={read} />
      {data !== undefined ? (
        <Table caption="Plans" columns={COLUMNS} rows={data.plans} rowKey={({ plan }) => plan} />
      ) : error === null ? (
        <SkeletonRows rows={3} />
      ) : null}
    </>
  )
}
