import { useState } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode, RefObject } from 'react'
import type uPlot from 'uplot'
import { zoneText } from '../format/time-text.ts'
import { stepAt, stepByKey } from './plot-step.ts'
import { readingText } from './reading.ts'
import type { Reading } from './reading.ts'

const TONES = {
  brand: 'bg-brand',
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  info: 'bg-info',
  edge: 'bg-edge',
} as const

/** Between the line that marks the step and the figures beside it. */
const GAP_PIXELS = 10

/**
 * Around a plot: shows the figures of the step that is pointed at, by mouse or by finger, and of each by the arrow keys. For screen readers
 * it is a slider over the steps, whose value is what is read.
 */
export function PlotReader({
  label,
  times,
  zone,
  kind,
  plot,
  read,
  children,
}: {
  label: string
  /** Unix milliseconds, rising; at least one. */
  times: readonly number[]
  /** The clock that the axis is of; the reader's own when undefined. */
  zone: 'UTC' | undefined
  kind: 'steps' | 'points'
  plot: RefObject<uPlot | null>
  /** The figures of a step, by its place in the times. */
  read: (step: number) => Reading
  children: ReactNode
}) {
  // By its time, so that it stays what it is when a new step moves the others.
  const [chosen, setChosen] = useState<number | null>(null)
  const found = chosen === null ? -1 : times.indexOf(chosen)
  const step = found === -1 ? times.length - 1 : found
  const choose = (next: number | undefined) => setChosen(times[next ?? -1] ?? null)

  const point = (event: PointerEvent<HTMLDivElement>) => {
    if (plot.current === null) return
    const { left } = plot.current.over.getBoundingClientRect()
    choose(stepAt(times, plot.current.posToVal(event.clientX - left, 'x') * 1_000, kind))
  }
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key === 'Escape') return setChosen(null)
    const next = stepByKey(event.key, step, times.length)
    if (next === undefined) return undefined
    event.preventDefault()
    return choose(next)
  }
  const reading = read(step)
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={times.length - 1}
      aria-valuenow={step}
      aria-valuetext={readingText(reading)}
      onPointerDown={point}
      onPointerMove={point}
      // A finger that is lifted leaves what it pointed at.
      onPointerLeave={({ pointerType }) => (pointerType === 'mouse' ? setChosen(null) : undefined)}
      onFocus={() => (chosen === null ? choose(times.length - 1) : undefined)}
      onBlur={() => setChosen(null)}
      onKeyDown={press}
      className="relative touch-pan-y"
    >
      {children}
      {/* Where both axes leave room; what is read of a step says it, too. */}
      <span aria-hidden="true" className="absolute bottom-2.5 left-1 text-xs text-soft">
        {zone ?? zoneText(times.at(-1) ?? 0)}
      </span>
      {found === -1 || plot.current === null ? null : (
        <Mark plot={plot.current} times={times} step={found} kind={kind} reading={reading} />
      )}
    </div>
  )
}

/** A line at the step and its figures beside it, on the side where there is more room. */
function Mark({
  plot,
  times,
  step,
  kind,
  reading,
}: {
  plot: uPlot
  times: readonly number[]
  step: number
  kind: 'steps' | 'points'
  reading: Reading
}) {
  const [at = 0, next] = [times[step], times[step + 1] ?? undefined]
  const length = next === undefined ? at - (times[step - 1] ?? at) : next - at
  const middle = kind === 'steps' ? at + length / 2 : at
  const left = plot.over.offsetLeft + plot.valToPos(middle / 1_000, 'x')
  /** Never over an edge of the chart: figures of tokens can be long. */
  const place = (box: HTMLDivElement | null) => {
    if (box === null) return
    const isLeft = left < plot.width / 2
    const wished = isLeft ? left + GAP_PIXELS : left - GAP_PIXELS - box.offsetWidth
    box.style.left = `${Math.max(0, Math.min(wished, plot.width - box.offsetWidth))}px`
  }
  return (
    <div aria-hidden="true" className="pointer-events-none">
      <span
        className="absolute w-px bg-edge"
        style={{ left, top: plot.over.offsetTop, height: plot.over.offsetHeight }}
      />
      <div
        ref={place}
        className="absolute top-0 left-0 z-10 rounded-md border border-line bg-surface px-2.5 py-1.5 text-xs whitespace-nowrap shadow-lg"
      >
        <p className="font-medium">{reading.when}</p>
        {reading.figures.map(({ name, value, tone }) => (
          <p key={name} className="flex items-center gap-1.5">
            {tone === undefined ? null : <span className={`h-0.5 w-3 ${TONES[tone]}`} />}
            <span className="text-soft">{name}</span>
            <span className="ml-auto pl-2 tabular-nums">{value}</span>
          </p>
        ))}
      </div>
    </div>
  )
}
