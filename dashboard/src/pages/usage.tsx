import { useMemo } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { countText } from '../format/count-text.ts'
import { limitText } from '../format/limit-text.ts'
import { utcDayText } from '../format/time-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import type { ChartLine } from '../parts/chart.tsx'
import { Deadline } from '../parts/deadline.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { useNow } from '../parts/use-now.ts'

type Usage = Answer<'GET /usage'>
type KeyUsage = Usage['keys'][number]

const REFETCH_SECONDS = 10
const numberText = (value: number) => Math.round(value).toLocaleString('en')

const COLUMNS: readonly Column<KeyUsage>[] = [
  {
    header: 'Key',
    narrow: 1,
    cell: ({ name, lastFour }) => (
      <span className="block">
        <span className="block font-medium break-words">{name}</span>
        <span className="font-mono text-[0.8125rem] text-soft">…{lastFour}</span>
      </span>
    ),
  },
  {
    header: 'Plan',
    narrow: 3,
    cell: ({ plan }) => (
      <>
        <NarrowName>plan </NarrowName>
        {plan}
      </>
    ),
  },
  {
    header: 'This minute',
    align: 'right',
    narrow: 2,
    cell: ({ used, requestsPerMinute }) => (
      <span className="tabular-nums">
        {used.toLocaleString('en')}
        {requestsPerMinute === null ? ', unlimited' : ` of ${limitText(requestsPerMinute)}`}
        <NarrowName> this minute</NarrowName>
      </span>
    ),
  },
  {
    header: 'Window ends',
    narrow: 4,
    cell: ({ resetsAt }) => <WindowEnd at={resetsAt} />,
  },
]

/** What the plan allows, and what was used of it. */
export function Page() {
  const read = useAnswer('GET /usage', {}, { refetchSeconds: REFETCH_SECONDS })
  const { data, error } = read
  return (
    <div className="space-y-4">
      <PageHeader title="Usage and plan">
        What the plan allows, and what was used of it. Whoever runs this installation changes plans.
      </PageHeader>
      <ReadFault of={read} />
      {data !== undefined ? (
        <Parts usage={data} />
      ) : error === null ? (
        <>
          <Skeleton className="h-56 w-full" />
          <Skeleton className="h-64 w-full" />
        </>
      ) : null}
    </div>
  )
}

/** One that has ended is no longer open, also before the next answer says so. */
function WindowEnd({ at }: { at: number | null }) {
  const now = useNow()
  return at === null || at <= now ? (
    <>
      <span className="max-sm:hidden">none is open</span>
      <NarrowName>no window is open</NarrowName>
    </>
  ) : (
    <>
      <NarrowName>window ends </NarrowName>
      <Deadline at={at} />
    </>
  )
}

function Parts({ usage: { plan, limits, keys, days } }: { usage: Usage }) {
  // Every few seconds all of it is read anew, and days that are as they were are the same days: their chart is not drawn again.
  const times = useMemo(() => days.map(({ day }) => Date.parse(`${day}T00:00:00Z`)), [days])
  const requests = useMemo(() => days.map((each) => each.requests), [days])
  const lines = useMemo<readonly ChartLine[]>(
    () => [{ label: 'Requests', values: requests, tone: 'brand' }],
    [requests],
  )
  const total = requests.reduce((sum, each) => sum + each, 0)
  return (
    <>
      <div className="grid items-start gap-4 *:min-w-0 lg:grid-cols-2">
        <Card title="Plan" actions={<Badge tone="brand">{plan}</Badge>}>
          <Facts
            facts={[
              {
                name: 'Requests per minute',
                value: `${limitText(limits.requestsPerMinute)} for each key`,
              },
              { name: 'Keys', value: `${keys.length} of ${limitText(limits.keys)}` },
              { name: 'Wallets', value: `up to ${limitText(limits.wallets)}` },
              {
                name: 'Receiving addresses',
                value: `up to ${limitText(limits.receivingAddresses)}`,
              },
              { name: 'Webhooks', value: `up to ${limitText(limits.webhooks)}` },
              { name: 'Event sockets', value: limitText(limits.eventSockets) },
              {
                name: 'Socket messages',
                value:
                  limits.socketMessagesPerSecond === null
                    ? 'unlimited'
                    : `${limitText(limits.socketMessagesPerSecond)} per second`,
              },
            ]}
          />
        </Card>
        <Card title="Requests in 30 days" actions={<span>{numberText(total)} in all</span>}>
          <Chart
            shape="bars"
            counts
            zone="UTC"
            label={`${countText(total, 'request')} in the last 30 days, ${numberText(requests.at(-1) ?? 0)} of them today in UTC.`}
            times={times}
            lines={lines}
            format={numberText}
            read={(step) => ({
              when: utcDayText(times[step] ?? 0),
              figures: [
                { name: 'Requests', value: numberText(requests[step] ?? 0), tone: 'brand' },
              ],
            })}
          />
        </Card>
      </div>
      <section aria-labelledby="by-key" className="space-y-3 pt-2">
        <h2 id="by-key" className="font-semibold">
          By key
        </h2>
        {keys.length === 0 ? (
          <Empty title="No keys yet">Each key has a limit of its own.</Empty>
        ) : (
          <Table caption="Use by key" columns={COLUMNS} rows={keys} rowKey={({ keyId }) => keyId} />
        )}
      </section>
    </>
  )
}
