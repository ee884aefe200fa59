import { lazy, Suspense } from 'react'
import type { Reading } from './reading.ts'
import { Skeleton } from './skeleton.tsx'

export interface ChartLine {
  readonly label: string
  /** One value per time; null where nothing is known. */
  readonly values: readonly (number | null)[]
  readonly tone: 'brand' | 'good' | 'warn' | 'bad' | 'info' | 'edge'
}

export interface ChartProps {
  /** What it shows, for those who do not see it. */
  readonly label: string
  /** Unix milliseconds, rising. */
  readonly times: readonly number[]
  readonly lines: readonly ChartLine[]
  /** Bars for what happened in a step, from one time to the next; each line is drawn over the ones before it. Lines for what was measured. */
  readonly shape: 'bars' | 'lines'
  /** How a value is written at the axis. */
  readonly format: (value: number) => string
  /** The exact figures of a step, by its place in the times. */
  readonly read: (step: number) => Reading
  /** The clock that steps are of; the reader's own when left out. */
  readonly zone?: 'UTC'
  /** Values are counts: the axis names whole numbers only. */
  readonly counts?: boolean
}

const Canvas = lazy(() => import('./chart-canvas.tsx').then((m) => ({ default: m.ChartCanvas })))

/** A chart over time. What draws it comes later than the page; its room is there from the start. */
export function Chart(props: ChartProps) {
  const isEmpty = props.lines.every(({ values }) => values.every((value) => value === null))
  return (
    <figure className="h-44">
      {isEmpty ? (
        <p className="flex h-44 items-center justify-center text-soft">Nothing to draw yet</p>
      ) : (
        <Suspense fallback={<Skeleton className="h-44 w-full" />}>
          <Canvas {...props} />
        </Suspense>
      )}
      <figcaption className="sr-only">{props.label}</figcaption>
    </figure>
  )
}
