import { useState } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useMay } from '../app/session.tsx'
import { Badge } from '../parts/badge.tsx'
import type { Tone } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { CreateWebhookDialog } from './webhook-create-dialog.tsx'

export type WebhookInfo = Answer<'GET /webhooks'>['webhooks'][number]

const TONES: Readonly<Record<WebhookInfo['status'], Tone>> = {
  active: 'good',
  paused: 'bad',
  disabled: 'neutral',
}

/** Whether events go to an endpoint. */
export function WebhookStatusBadge({ status }: { status: WebhookInfo['status'] }) {
  return <Badge tone={TONES[status]}>{status}</Badge>
}

const COLUMNS: readonly Column<WebhookInfo>[] = [
  {
    header: 'Address',
    narrow: 1,
    cell: ({ webhookId, url, description }) => (
      <span className="block">
        <PageLink to={`/webhooks/${webhookId}`}>
          <span className="break-all">{url}</span>
        </PageLink>
        {description === null ? null : <span className="block text-soft">{description}</span>}
      </span>
    ),
  },
  {
    header: 'Events',
    narrow: 3,
    cell: ({ types }) => (
      <span className="inline-flex flex-wrap gap-1">
        {types.length === 0 ? 'all events' : types.map((type) => <Badge key={type}>{type}</Badge>)}
      </span>
    ),
  },
  { header: 'Status', narrow: 2, cell: ({ status }) => <WebhookStatusBadge status={status} /> },
  {
    header: 'Failing since',
    narrow: 'line',
    cell: ({ failingSince }) =>
      failingSince === null ? (
        <span className="text-soft max-sm:hidden">not</span>
      ) : (
        <>
          <NarrowName>failing since </NarrowName>
          <Time at={failingSince} />
        </>
      ),
  },
  { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** Where events are sent. */
export function Page() {
  const read = useAnswer('GET /webhooks')
  const { data, error } = read
  const mayCreate = useMay('write')
  const [isAsking, setAsking] = useState(false)
  const create = mayCreate ? (
    <Button kind="primary" icon="plus" onClick={() => setAsking(true)}>
      Create webhook
    </Button>
  ) : undefined
  return (
    <>
      <PageHeader title="Webhooks" actions={create}>
        Each event is sent as a signed request, in order, and again until your endpoint takes it.
      </PageHeader>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows />
        ) : null
      ) : data.webhooks.length === 0 ? (
        <Empty title="No webhooks yet">
          Name an address of yours, and it hears of every payment instead of asking.
        </Empty>
      ) : (
        <Table
          caption="Webhooks"
          columns={COLUMNS}
          rows={data.webhooks}
          rowKey={({ webhookId }) => webhookId}
        />
      )}
      {isAsking ? <CreateWebhookDialog onClose={() => setAsking(false)} /> : null}
    </>
  )
}
