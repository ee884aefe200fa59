import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import type { Period } from '@florin/wire/overview.ts'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useMay } from '../app/session.tsx'
import { buttonStyle } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Segments } from '../parts/segments.tsx'
import { AttentionList } from './overview-attention.tsx'
import { OverviewCharts } from './overview-charts.tsx'
import { OverviewFigures, OverviewLoading } from './overview-figures.tsx'
import { OverviewVolume } from './overview-volume.tsx'

const PERIODS: readonly { readonly value: Period; readonly label: string }[] = [
  { value: 'hour', label: '1 hour' },
  { value: 'day', label: '24 hours' },
  { value: 'month', label: '30 days' },
]
/** Figures change without an event, too: time passes. */
const REFETCH_SECONDS = 60

const IN_PERIOD = { hour: 'in the last hour', day: 'in 24 hours', month: 'in 30 days' } as const

/** What is worth looking at first: in its first hour an account has a picture by the minute only. */
function firstPeriodOf({ buckets }: Answer<'GET /overview'>): Period {
  const [earlier, latest] = [buckets.slice(0, -2), buckets.slice(-2)]
  const isBusy = ({ payments }: { payments: number }) => payments > 0
  return latest.some(isBusy) && !earlier.some(isBusy) ? 'hour' : 'day'
}

/** How the account does: what needs a person first, then figures and charts. */
export function Page() {
  const [chosen, setPeriod] = useState<Period>()
  const period = chosen ?? 'day'
  const read = useAnswer(
    'GET /overview',
    { query: { period } },
    { refetchSeconds: REFETCH_SECONDS },
  )
  const { data, error } = read
  // Once: what is looked at does not change its period by itself.
  if (chosen === undefined && data !== undefined) setPeriod(firstPeriodOf(data))
  const mayPay = useMay('write')
  const choice = <Segments label="Period" choices={PERIODS} chosen={period} onChoose={setPeriod} />
  const pay = mayPay ? (
    <Link to="/first-payment" className={buttonStyle('primary')}>
      Make a payment
    </Link>
  ) : null
  const hasSent = data?.totals.volume.some(({ sentBaseUnits }) => sentBaseUnits !== '0') ?? true
  return (
    <div className="space-y-6">
      <PageHeader title="Overview" actions={choice} />
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <OverviewLoading />
        ) : null
      ) : (
        <>
          <AttentionList attention={data.attention} />
          {hasSent ? null : (
            <Empty title={`Nothing was sent ${IN_PERIOD[period]}`} action={pay}>
              Make a payment from a wallet of this account and see it confirmed before your eyes.
            </Empty>
          )}
          <OverviewFigures totals={data.totals} />
          {data.totals.payments === 0 ? null : (
            <>
              <OverviewCharts overview={data} />
              <OverviewVolume volume={data.totals.volume} />
            </>
          )}
        </>
      )}
    </div>
  )
}
