import { useCallback, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ACCOUNT_EVENTS } from '@florin/wire/event-types.ts'
import { useEvents } from '../app/live.tsx'
import { useApi } from '../app/services.tsx'
import { useMay } from '../app/session.tsx'
import { useFilters } from '../app/use-filters.ts'
import { shortText } from '../format/short-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Button, buttonStyle } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Segments } from '../parts/segments.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { EVENTS_SHOWN_MAX, recentEvents, withNewer } from './recent-events.ts'
import type { AccountEvent } from './recent-events.ts'

const TYPES = [
  { value: '', label: 'All' },
  ...Object.keys(ACCOUNT_EVENTS).map((value) => ({ value, label: value })),
]

/** What the kinds of calls to the escrow are called in a sentence. */
const ESCROW_WORDS: ReadonlyMap<string, string> = new Map([
  ['deposit', 'deposit into the escrow'],
  ['claim', 'claim of vouchers'],
  ['settle', 'settlement out of the escrow'],
  ['refund', 'refund out of the escrow'],
])

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** What happened in the account, as it happens. */
export function Page() {
  const api = useApi()
  const filters = useFilters()
  const [shown, setShown] = useState<AccountEvent | null>(null)
  const [newer, setNewer] = useState<readonly AccountEvent[]>([])
  // Not named after the operation: what is heard is put in front, and nothing has to be read again.
  const read = useQuery({
    queryKey: ['recent events'],
    queryFn: () => recentEvents(api),
    staleTime: 0,
  })
  const { data, error } = read
  const hear = useCallback(
    (event: AccountEvent) => setNewer((before) => withNewer(before, [event])),
    [],
  )
  useEvents(hear)
  const chosen = filters.get('type')
  const all = data === undefined ? [] : withNewer(data, newer)
  const events = all.filter(({ type }) => chosen === '' || type === chosen)
  const columns: readonly Column<AccountEvent>[] = [
    { header: 'Event', narrow: 2, cell: ({ type }) => <Badge>{type}</Badge> },
    { header: 'What happened', narrow: 1, cell: (event) => <Says event={event} /> },
    { header: 'Number', align: 'right', cell: ({ sequence }) => sequence.toLocaleString('en') },
    { header: 'When', narrow: 3, cell: ({ timestamp }) => <Time at={timestamp} /> },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      narrow: 4,
      cell: (event) => (
        <Button
          kind="quiet"
          aria-label={`Show JSON of event ${event.sequence}`}
          onClick={() => setShown(event)}
        >
          Show JSON
        </Button>
      ),
    },
  ]
  return (
    <>
      <PageHeader title="Events">
        What happened in this account, as it happens. Programs hear of it by webhook, WebSocket or
        server-sent events.
      </PageHeader>
      <div className="mb-4">
        <Segments
          label="Type of event"
          choices={TYPES}
          chosen={chosen}
          onChoose={(type) => filters.set({ type })}
        />
      </div>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows />
        ) : null
      ) : events.length === 0 ? (
        <NoEvents type={chosen} onClear={filters.clear} />
      ) : (
        <Table caption="Events" columns={columns} rows={events} rowKey={({ id }) => id} />
      )}
      {all.length === EVENTS_SHOWN_MAX ? (
        <p className="mt-3 text-center text-soft">The newest {EVENTS_SHOWN_MAX} are shown.</p>
      ) : null}
      {shown === null ? null : (
        <Dialog title={`Event ${shown.sequence}`} onClose={() => setShown(null)}>
          <CodeBlock code={JSON.stringify(shown, null, 2)} what="event" />
        </Dialog>
      )}
    </>
  )
}

/** What to do for an event to see: any payment is one. */
function NoEvents({ type, onClear }: { type: string; onClear: () => void }) {
  const mayPay = useMay('write')
  if (type !== '') {
    return (
      <Empty
        title={`No event of type ${type} yet`}
        action={<Button onClick={onClear}>Show all types</Button>}
      >
        The next one appears here by itself.
      </Empty>
    )
  }
  const pay = mayPay ? (
    <Link to="/first-payment" className={buttonStyle('primary')}>
      Make a payment
    </Link>
  ) : undefined
  return (
    <Empty title="Nothing happened yet" action={pay}>
      The next event appears here by itself: every step of a payment is one. In a terminal{' '}
      <code className="font-mono">npx florin listen</code> shows them, too.
    </Empty>
  )
}

function Says({ event: { type, data } }: { event: AccountEvent }) {
  const paymentId = textOf(data['paymentId'])
  const status = textOf(data['status'])
  if (paymentId !== undefined) {
    return (
      <span>
        <PageLink to={`/payments/${paymentId}`}>
          <span className="font-mono text-[0.8125rem]">{shortText(paymentId)}</span>
        </PageLink>{' '}
        {data['success'] === false ? 'was not settled' : `is ${status ?? 'changed'}`}
      </span>
    )
  }
  if (type === 'escrowCall') {
    return `A ${ESCROW_WORDS.get(textOf(data['operation']) ?? '') ?? 'call'} is ${status ?? 'changed'}`
  }
  if (type === 'verification') {
    return data['valid'] === true
      ? 'A proof was good'
      : `A proof was refused: ${textOf(data['reason']) ?? 'it is not valid'}`
  }
  return textOf(data['url']) ?? ''
}
