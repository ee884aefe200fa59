import { useCallback } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { ChartProps } from './chart.tsx'
import { colour } from './palette.ts'
import { usePlot } from './use-plot.ts'

const HEIGHT_PIXELS = 176
const AXIS_PIXELS = 56
const TIME_AXIS_PIXELS = 30
const TIME_PIXELS = 64
/** Below this a line may have no length: its values are drawn as points, too. */
const POINTS_BELOW = 4
const POINT_PIXELS = 4
const DAY_MILLISECONDS = 86_400_000
const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** How a time is written at the axis: by the hour within a day or two, by the day beyond. */
function timeText(times: readonly number[]): (atSeconds: number) => string {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const words = span <= 2 * DAY_MILLISECONDS ? hour : day
  return (atSeconds) => words.format(atSeconds * 1_000)
}

const withAlpha = (rgb: string, alpha: number) =>
  rgb.replace(/^rgb\((.*)\)$/, (_, channels: string) => `rgba(${channels}, ${alpha})`)

/** Draws lines over time. It follows the width of its place, and a change between light and dark. */
export function ChartCanvas({ times, lines, format, maximum }: ChartProps) {
  const draw = useCallback(
    (element: HTMLElement) => {
      const grid = { stroke: colour('line', element), width: 1 }
      const axis = { stroke: colour('soft', element), grid, ticks: { show: false } }
      return new uPlot(
        {
          width: element.clientWidth,
          height: HEIGHT_PIXELS,
          legend: { show: false },
          cursor: { points: { size: 6 }, drag: { x: false, y: false } },
          scales: { y: { range: (_, __, top) => [0, maximum ?? (top > 0 ? top * 1.1 : 1)] } },
          axes: [
            {
              ...axis,
              size: TIME_AXIS_PIXELS,
              space: TIME_PIXELS,
              values: (_, splits) => splits.map(timeText(times)),
            },
            {
              ...axis,
              size: AXIS_PIXELS,
              values: (_, splits) => splits.map((each) => format(each)),
            },
          ],
          series: [
            {},
            ...lines.map(({ label, tone, values }) => ({
              label,
              stroke: colour(tone, element),
              fill: withAlpha(colour(tone, element), 0.1),
              width: 2,
              points: {
                show: values.filter((value) => value !== null).length < POINTS_BELOW,
                size: POINT_PIXELS,
                fill: colour(tone, element),
              },
            })),
          ],
        },
        [times.map((at) => at / 1_000), ...lines.map(({ values }) => [...values])],
        element,
      )
    },
    [times, lines, format, maximum],
  )
  const ref = usePlot(HEIGHT_PIXELS, draw)
  return <div ref={ref} aria-hidden="true" className="h-44 w-full overflow-hidden" />
}
