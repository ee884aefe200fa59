import { lazy, Suspense } from 'react'
import type { Reading } from './reading.ts'
import { Skeleton } from './skeleton.tsx'

/** Numbers for drawing alone: what is shown as text is exact elsewhere. */
export interface DrawnCandle {
  /** When it begins, Unix milliseconds. */
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

export interface CandlesProps {
  /** What it shows, for those who do not see it. */
  readonly label: string
  /** Oldest first. */
  readonly candles: readonly DrawnCandle[]
  /** Of one candle. */
  readonly seconds: number
  /** How a price is written at the axis. */
  readonly format: (value: number) => string
  /** The exact figures of a candle, by its place. */
  readonly read: (step: number) => Reading
}

const Canvas = lazy(() =>
  import('./candles-canvas.tsx').then((m) => ({ default: m.CandlesCanvas })),
)

/** A price over time, a candle for each stretch. */
export function Candles(props: CandlesProps) {
  return (
    <figure className="h-64">
      {props.candles.length === 0 ? (
        <p className="flex h-64 items-center justify-center text-soft">No trade was seen yet</p>
      ) : (
        <Suspense fallback={<Skeleton className="h-64 w-full" />}>
          <Canvas {...props} />
        </Suspense>
      )}
      <figcaption className="sr-only">{props.label}</figcaption>
    </figure>
  )
}
