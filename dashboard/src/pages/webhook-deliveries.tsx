import { useState } from 'react'
import type { Answer } from '../api/operation.ts'
import { useDeed } from '../api/use-deed.ts'
import { usePages } from '../api/use-pages.ts'
import { useMay } from '../app/session.tsx'
import { spanText } from '../format/time-text.ts'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { LoadMore } from '../parts/load-more.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Segments } from '../parts/segments.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useToast } from '../parts/toast.tsx'
import { deliveryAnswer } from './delivery-answer.ts'
import { DeliveryStatusBadge } from './webhook-delivery-status.tsx'

type Delivery = Answer<'GET /webhooks/{webhookId}/deliveries'>['deliveries'][number]
type Attempt = Delivery['log'][number]

const STATUSES = [
  { value: 'all', label: 'All' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const

/** What became of a delivery is no event. */
const REFETCH_SECONDS = 3

type Status = (typeof STATUSES)[number]['value']

/** What a webhook was sent, newest first. */
export function WebhookDeliveries({ webhookId }: { webhookId: string }) {
  const [status, setStatus] = useState<Status>('all')
  const [shown, setShown] = useState<string | null>(null)
  const list = usePages('GET /webhooks/{webhookId}/deliveries', {
    asked: { webhookId, status },
    input: (cursor) => ({
      params: { webhookId },
      query: { status: status === 'all' ? undefined : status, cursor },
    }),
    next: ({ nextCursor }) => nextCursor,
    rows: (page) => page.deliveries,
    rowKey: ({ deliveryId }) => deliveryId,
    rowTime: ({ createdAt }) => createdAt,
    refetchSeconds: REFETCH_SECONDS,
  })
  const deliveries = list.rows ?? []
  const open = deliveries.find(({ deliveryId }) => deliveryId === shown)
  const columns: readonly Column<Delivery>[] = [
    { header: 'Event', narrow: 1, cell: ({ type }) => <span className="font-medium">{type}</span> },
    {
      header: 'Status',
      narrow: 2,
      cell: (delivery) => <DeliveryStatusBadge status={delivery.status} />,
    },
    {
      header: 'Answer',
      cell: ({ log }) => deliveryAnswer(log.at(-1)),
    },
    {
      header: 'Took',
      align: 'right',
      cell: ({ log }) => (log.length === 0 ? '' : spanText(log.at(-1)?.milliseconds ?? 0)),
    },
    { header: 'Requests', align: 'right', cell: ({ attempts }) => attempts },
    { header: 'Created', narrow: 3, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      narrow: 4,
      cell: ({ deliveryId }) => (
        <Button kind="quiet" onClick={() => setShown(deliveryId)}>
          Show delivery
        </Button>
      ),
    },
  ]
  return (
    <section aria-labelledby="deliveries" className="space-y-3 pt-2">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="deliveries" className="font-semibold">
          Deliveries
        </h2>
        <Segments
          label="Status of deliveries"
          choices={STATUSES}
          chosen={status}
          onChoose={setStatus}
        />
      </div>
      <ReadFault of={list.read} />
      {list.rows === undefined ? (
        list.error === null ? (
          <SkeletonRows rows={3} />
        ) : null
      ) : deliveries.length === 0 ? (
        <NothingFound status={status} isWhole={!list.hasMore} />
      ) : (
        <Table
          caption="Deliveries"
          columns={columns}
          rows={deliveries}
          rowKey={({ deliveryId }) => deliveryId}
        />
      )}
      <LoadMore of={list}>{deliveries.length === 0 ? 'Look further back' : 'Show more'}</LoadMore>
      {open === undefined ? null : (
        <DeliveryDialog webhookId={webhookId} delivery={open} onClose={() => setShown(null)} />
      )}
    </section>
  )
}

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  { header: 'Sent', cell: ({ at }) => <Time at={at} /> },
  { header: 'Answer', cell: deliveryAnswer },
  { header: 'Took', align: 'right', cell: ({ milliseconds }) => spanText(milliseconds) },
  {
    header: 'Body',
    cell: ({ answer }) => (
      <span className="font-mono text-[0.8125rem] break-all">
        {answer === '' ? 'empty' : answer}
      </span>
    ),
  },
]

function NothingFound({ status, isWhole }: { status: Status; isWhole: boolean }) {
  if (status === 'all') {
    return <Empty title="Nothing was sent yet">Send a test event to see one arrive.</Empty>
  }
  return isWhole ? (
    <Empty title={`No delivery is ${status}`}>Send a test event to see one arrive.</Empty>
  ) : (
    <Empty title={`No newer delivery is ${status}`}>Older ones were not looked through yet.</Empty>
  )
}

function DeliveryDialog({
  webhookId,
  delivery,
  onClose,
}: {
  webhookId: string
  delivery: Delivery
  onClose: () => void
}) {
  const say = useToast()
  const mayChange = useMay('write')
  const { deliveryId, event, log } = delivery
  const repeat = useDeed('POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', {
    refreshes: ['GET /webhooks/{webhookId}/deliveries'],
    onDone: () => {
      say('The event is sent again')
      onClose()
    },
  })
  const actions = mayChange ? (
    <Button
      kind="primary"
      busy={repeat.isPending}
      onClick={() => repeat.mutate({ params: { webhookId, deliveryId } })}
    >
      Redeliver
    </Button>
  ) : undefined
  return (
    <Dialog title="Delivery" onClose={onClose} {...(actions === undefined ? {} : { actions })}>
      {log.length === 0 ? (
        <p className="text-soft">No request was made yet.</p>
      ) : (
        <Table
          caption="Requests"
          columns={ATTEMPT_COLUMNS}
          rows={log}
          rowKey={({ at }) => `${at}`}
        />
      )}
      <CodeBlock code={JSON.stringify(event, null, 2)} what="body of the request" />
      {repeat.error === null ? null : <ErrorPanel error={repeat.error} />}
    </Dialog>
  )
}
