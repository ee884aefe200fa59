import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAssets } from '../api/use-assets.ts'
import { exactText } from '../format/amount-text.ts'
import { spanText, stretchText, utcDayText } from '../format/time-text.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import type { ChartLine } from '../parts/chart.tsx'
import type { Reading } from '../parts/reading.ts'
import { Segments } from '../parts/segments.tsx'

type Overview = Answer<'GET /overview'>
type Bucket = Overview['buckets'][number]
type Volume = Overview['totals']['volume'][number]

const named = ({ network, asset }: Pick<Volume, 'network' | 'asset'>) => `${network} ${asset}`
const plainNumber = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })
const numberText = (value: number) => plainNumber.format(value)
const dash = (name: string, tone: string) => (
  <span className="inline-flex items-center gap-1.5">
    <span aria-hidden="true" className={`h-0.5 w-3 ${tone}`} />
    {name}
  </span>
)

/** A period of many days is summed up by the day in UTC: it is drawn so, or a reader elsewhere would see each a day off. */
const isOfDays = (period: Overview['period']) => period === 'month'
const zoneOf = ({ period }: Overview) => (isOfDays(period) ? { zone: 'UTC' as const } : {})

/** Reads the figures of a step; the last one is still running. */
const readerOf =
  ({ period, buckets, to }: Overview, figures: (bucket: Bucket) => Reading['figures']) =>
  (step: number): Reading => {
    const bucket = buckets[step]
    if (bucket === undefined) return { when: 'Nothing', figures: [] }
    return {
      when: isOfDays(period)
        ? utcDayText(bucket.from)
        : stretchText(bucket.from, buckets[step + 1]?.from ?? to),
      figures: figures(bucket),
    }
  }

const outcomeFigures = ({ payments, succeeded, failed }: Bucket): Reading['figures'] => [
  { name: 'Succeeded', value: succeeded.toLocaleString('en'), tone: 'good' },
  { name: 'Failed', value: failed.toLocaleString('en'), tone: 'bad' },
  {
    name: 'Pending or expired',
    value: (payments - succeeded - failed).toLocaleString('en'),
    tone: 'edge',
  },
]

const latencyFigures = ({ latency }: Bucket): Reading['figures'] => {
  const value = (milliseconds: number | undefined) =>
    milliseconds === undefined ? 'not measured' : `${milliseconds.toLocaleString('en')} ms`
  return [
    { name: 'Half within', value: value(latency?.p50), tone: 'brand' },
    { name: '95% within', value: value(latency?.p95), tone: 'warn' },
  ]
}

const DIRECTIONS = [
  { value: 'sent', label: 'Sent' },
  { value: 'received', label: 'Received' },
] as const
type Direction = (typeof DIRECTIONS)[number]['value']

/** What became of payments, volume and latency over the period. What is drawn is rounded to the pixel; exact sums stand in the table below. */
export function OverviewCharts({ overview }: { overview: Overview }) {
  const { buckets, totals } = overview
  const times = useMemo(() => buckets.map(({ from }) => from), [buckets])
  const outcomes = useMemo<readonly ChartLine[]>(
    () => [
      { label: 'All', values: buckets.map((each) => each.payments), tone: 'edge' },
      {
        label: 'Decided',
        values: buckets.map((each) => each.succeeded + each.failed),
        tone: 'bad',
      },
      { label: 'Succeeded', values: buckets.map((each) => each.succeeded), tone: 'good' },
    ],
    [buckets],
  )
  const latency = useMemo<readonly ChartLine[]>(
    () => [
      { label: 'Half', values: buckets.map((each) => each.latency?.p50 ?? null), tone: 'brand' },
      { label: '95%', values: buckets.map((each) => each.latency?.p95 ?? null), tone: 'warn' },
    ],
    [buckets],
  )
  return (
    <div className="grid gap-3 *:min-w-0 md:grid-cols-2 xl:grid-cols-3">
      <Card title="Payments">
        <Chart
          label={`Payments over time: ${totals.succeeded} succeeded, ${totals.failed} failed, ${totals.pending} pending and ${totals.expired} expired in all.`}
          shape="bars"
          counts
          times={times}
          lines={outcomes}
          format={numberText}
          read={readerOf(overview, outcomeFigures)}
          {...zoneOf(overview)}
        />
        <Key>
          {dash('Succeeded', 'bg-good')}
          {dash('Failed', 'bg-bad')}
          {dash('Pending or expired', 'bg-edge')}
        </Key>
      </Card>
      <VolumeCard overview={overview} times={times} />
      <Card title="Time to confirm">
        <Chart
          label={`Time from created to confirmed${totals.latency === null ? '' : `: half within ${spanText(totals.latency.p50)}`}.`}
          shape="lines"
          times={times}
          lines={latency}
          format={spanText}
          read={readerOf(overview, latencyFigures)}
          {...zoneOf(overview)}
        />
        <Key>
          {dash('Half within', 'bg-brand')}
          {dash('95% within', 'bg-warn')}
        </Key>
      </Card>
    </div>
  )
}

/** One asset in one direction: a sandbox is given so much more than it sends that both on one axis would show one of them. */
function VolumeCard({ overview, times }: { overview: Overview; times: readonly number[] }) {
  const { buckets, totals } = overview
  const assets = useAssets()
  const titleOf = ({ symbol, asset, network }: Volume) =>
    `${symbol ?? asset} on ${assets.network(network)?.name ?? network}`
  const busiest = totals.volume.toSorted((left, right) => right.payments - left.payments)
  const [chosen, setChosen] = useState('')
  const [turned, setTurned] = useState<Direction>()
  const shown = busiest.find((each) => named(each) === chosen) ?? busiest[0]
  const shownName = shown === undefined ? '' : named(shown)
  const direction = turned ?? (shown?.sentBaseUnits === '0' ? 'received' : 'sent')
  const volume = useMemo<readonly ChartLine[]>(() => {
    const values = buckets.map((bucket) =>
      Number(bucket.volume.find((each) => named(each) === shownName)?.[direction] ?? 0),
    )
    return [{ label: direction, values, tone: 'brand' }]
  }, [buckets, shownName, direction])
  return (
    <Card
      title="Volume"
      actions={
        <select
          aria-label="Asset of the chart"
          title={shown === undefined ? undefined : titleOf(shown)}
          className="rounded max-sm:w-full sm:max-w-52 border border-edge bg-surface px-1.5 py-1"
          value={shownName}
          onChange={({ target }) => setChosen(target.value)}
        >
          {busiest.map((each) => (
            <option key={named(each)} value={named(each)}>
              {titleOf(each)}
            </option>
          ))}
        </select>
      }
    >
      <Chart
        label={`Volume of ${shown === undefined ? 'nothing' : titleOf(shown)} over time: ${shown?.received ?? 0} received, ${shown?.sent ?? 0} sent in all.`}
        shape="bars"
        times={times}
        lines={volume}
        format={numberText}
        read={readerOf(overview, (bucket) => {
          const moved = bucket.volume.find((each) => named(each) === shownName)?.[direction] ?? '0'
          const name = direction === 'sent' ? 'Sent' : 'Received'
          return [{ name, value: `${exactText(moved)} ${shown?.symbol ?? ''}`, tone: 'brand' }]
        })}
        {...zoneOf(overview)}
      />
      <div className="mt-1 -mb-2">
        <Segments
          label="Direction of the volume"
          choices={DIRECTIONS}
          chosen={direction}
          onChoose={setTurned}
        />
      </div>
    </Card>
  )
}

function Key({ children }: { children: ReactNode }) {
  return (
    <p aria-hidden="true" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
      {children}
    </p>
  )
}
