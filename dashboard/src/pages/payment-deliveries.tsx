import { useState } from 'react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '../api/operation.ts'
import { useApi } from '../app/services.tsx'
import { countText } from '../format/count-text.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { deliveryAnswer } from './delivery-answer.ts'
import { DeliveryStatusBadge } from './webhook-delivery-status.tsx'

type Delivery = Answer<'GET /webhooks/{webhookId}/deliveries'>['deliveries'][number]
type Row = Delivery & { readonly webhookId: string; readonly url: string }

/** Deliveries of the payment that are shown of each webhook. */
const SHOWN = 100
/** Among so many of a webhook's deliveries the API looks for those of a payment. */
const LOOKED_AT = 10_000
/** Webhooks that are looked through at once, a request for each: the API lists deliveries by webhook. */
const WEBHOOKS_AT_ONCE = 5
/** Clocks of the service and of its database may differ by this. */
const CLOCKS_MILLISECONDS = 60_000

const COLUMNS: readonly Column<Row>[] = [
  { header: 'Event', cell: ({ type, event }) => `${type} ${statusOfEvent(event)}` },
  { header: 'Delivery', cell: ({ status }) => <DeliveryStatusBadge status={status} /> },
  {
    header: 'Webhook',
    cell: ({ webhookId, url }) => (
      <PageLink to={`/webhooks/${webhookId}`}>
        <span className="break-all">{url}</span>
      </PageLink>
    ),
  },
  { header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  {
    header: 'Answer',
    cell: ({ log }) => deliveryAnswer(log.at(-1)),
  },
  { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

function statusOfEvent({ data }: Readonly<Record<string, unknown>>): string {
  if (typeof data !== 'object' || data === null || !('status' in data)) return ''
  return String(data.status)
}

/** The events of a payment, made at `createdAt` (Unix milliseconds), as the account's webhooks were told of them. */
export function PaymentDeliveries({
  paymentId,
  createdAt,
}: {
  paymentId: string
  createdAt: number
}) {
  const api = useApi()
  const [most, setMost] = useState(WEBHOOKS_AT_ONCE)
  // The operation in front makes new events refresh it, too.
  const read = useQuery({
    queryKey: ['GET /webhooks', { deliveriesOf: paymentId, most }],
    queryFn: async () => {
      const { webhooks } = await api.call('GET /webhooks')
      const told = webhooks.filter(
        ({ types }) => types.length === 0 || types.some((type) => type !== 'webhook'),
      )
      const lists = await Promise.all(
        told.slice(0, most).map(async ({ webhookId, url }) => {
          const from = Math.max(0, createdAt - CLOCKS_MILLISECONDS)
          const { deliveries, nextCursor } = await api.call(
            'GET /webhooks/{webhookId}/deliveries',
            { params: { webhookId }, query: { paymentId, from, limit: SHOWN } },
          )
          const rows = deliveries.map((delivery) => ({ ...delivery, webhookId, url }))
          return { rows, goesOn: nextCursor !== null }
        }),
      )
      return {
        webhooks: told.length,
        more: told.slice(most).length,
        rows: lists.flatMap(({ rows }) => rows),
        goesOn: lists.some(({ goesOn }) => goesOn),
      }
    },
    placeholderData: keepPreviousData,
  })
  const { data, error, isFetching } = read
  return (
    <Card title="Events and deliveries" actions={<PageLink to="/events">All events</PageLink>}>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-16 w-full" />
        ) : null
      ) : data.webhooks === 0 ? (
        <p className="text-soft">
          No webhook is told of this account’s payments.{' '}
          <PageLink to="/webhooks">Make one</PageLink> and your program hears of every step.
        </p>
      ) : data.rows.length === 0 ? (
        <p className="text-soft">
          {data.goesOn
            ? `Nothing about this payment is among the last ${LOOKED_AT.toLocaleString('en')} deliveries of `
            : 'Nothing about this payment was sent to '}
          {data.more === 0
            ? 'any webhook'
            : `the first ${countText(data.webhooks - data.more, 'webhook')}`}
          .
        </p>
      ) : (
        <Table
          caption="Deliveries of the events of this payment"
          columns={COLUMNS}
          rows={data.rows}
          rowKey={({ deliveryId }) => deliveryId}
        />
      )}
      {data === undefined || data.more === 0 ? null : (
        <p className="mt-3 flex flex-wrap items-center gap-3 text-soft">
          {countText(data.more, 'more webhook')} {data.more === 1 ? 'was' : 'were'} not looked
          through.
          <Button busy={isFetching} onClick={() => setMost(most + WEBHOOKS_AT_ONCE)}>
            Look through {Math.min(data.more, WEBHOOKS_AT_ONCE)} more
          </Button>
        </p>
      )}
    </Card>
  )
}
