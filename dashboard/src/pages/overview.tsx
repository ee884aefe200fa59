import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import type { Period } from '@florin/wire/overview.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useMay } from '../app/session.tsx'
import { buttonStyle } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { Segments } from '../parts/segments.tsx'
import { AttentionList } from './overview-attention.tsx'
import { OverviewCharts } from './overview-charts.tsx'
import { OverviewFigures, OverviewLoading } from './overview-figures.tsx'
import { OverviewVolume } from './overview-volume.tsx'

const PERIODS: readonly { readonly value: Period; readonly label: string }[] = [
  { value: 'day', label: '24 hours' },
  { value: 'month', label: '30 days' },
]
/** Figures change without an event, too: time passes. */
const REFETCH_SECONDS = 60

/** How the account does: what needs a person first, then figures and charts. */
export function Page() {
  const [period, setPeriod] = useState<Period>('day')
  const { data, error, refetch } = useAnswer(
    'GET /overview',
    { query: { period } },
    { refetchSeconds: REFETCH_SECONDS },
  )
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
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null ? (
          <OverviewLoading />
        ) : null
      ) : (
        <>
          <AttentionList attention={data.attention} />
          {hasSent ? null : (
            <Empty
              title={`Nothing was sent in ${period === 'day' ? '24 hours' : '30 days'}`}
              action={pay}
            >
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
