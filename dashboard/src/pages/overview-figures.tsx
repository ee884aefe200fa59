import type { ReactNode } from 'react'
import type { Answer } from '../api/operation.ts'
import { spanText } from '../format/time-text.ts'
import { percentText } from '../format/percent-text.ts'
import { Skeleton } from '../parts/skeleton.tsx'

type Totals = Answer<'GET /overview'>['totals']

const NOTHING = '–'

function Figure({ name, value, more }: { name: string; value: ReactNode; more: ReactNode }) {
  return (
    <div className="rounded-lg border border-line bg-surface p-4">
      <dt className="text-soft">{name}</dt>
      <dd className="mt-1 text-2xl font-semibold tabular-nums">{value}</dd>
      <dd className="min-h-5 text-soft">{more}</dd>
    </div>
  )
}

/** The four numbers that say how it goes. */
export function OverviewFigures({ totals }: { totals: Totals }) {
  const { payments, pending, failed, expired, succeeded, successRate, latency } = totals
  const ended = failed + expired
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure
        name="Payments"
        value={payments.toLocaleString('en')}
        more={`${succeeded.toLocaleString('en')} succeeded`}
      />
      <Figure
        name="Success rate"
        value={successRate === null ? NOTHING : percentText(successRate)}
        more={
          ended === 0
            ? 'none failed'
            : `${failed.toLocaleString('en')} failed, ${expired.toLocaleString('en')} expired`
        }
      />
      <Figure
        name="Time to confirm"
        value={latency === null ? NOTHING : spanText(latency.p50)}
        more={latency === null ? '' : `95% in ${spanText(latency.p95)}`}
      />
      <Figure name="Pending" value={pending.toLocaleString('en')} more="not decided yet" />
    </dl>
  )
}

/** Room for them, and for the charts below. */
export function OverviewLoading() {
  return (
    <div role="status" className="space-y-6">
      <span className="sr-only">Loading</span>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {['payments', 'rate', 'latency', 'pending'].map((name) => (
          <Skeleton key={name} className="h-[7.1rem] rounded-lg" />
        ))}
      </div>
      <div className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
        {['volume', 'rate', 'latency'].map((name) => (
          <Skeleton key={name} className="h-66 rounded-lg" />
        ))}
      </div>
    </div>
  )
}
