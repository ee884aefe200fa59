import { useCallback } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { ChartProps } from './chart.tsx'
import { colour } from './palette.ts'
import { PlotReader } from './plot-reader.tsx'
import { plotTime } from './plot-time.ts'
import { usePlot } from './use-plot.ts'

const HEIGHT_PIXELS = 176
const AXIS_PIXELS = 56
const TIME_AXIS_PIXELS = 30
const TIME_PIXELS = 64
/** So few values, or gaps between them, make no line to look at: they are drawn as points, too. */
const POINTS_BELOW = 32
const POINT_PIXELS = 5
/** How wide a bar is in its step, and in pixels at most. */
const BAR_SHARE = 0.8
const BAR_PIXELS_MAX = 40
/** Steps of an axis of counts: 1, 2, 5, 10 and so on. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) => 10 ** power).flatMap((unit) => [
  unit,
  2 * unit,
  5 * unit,
])
const DAY_MILLISECONDS = 86_400_000

/** Times are written at the axis by the hour within a day or two, by the day beyond. */
function unitOf(times: readonly number[]): 'hour' | 'day' {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return span <= 2 * DAY_MILLISECONDS ? 'hour' : 'day'
}

const stepSeconds = ([first = 0, second = first]: readonly number[]) => (second - first) / 1_000

const paths = uPlot.paths.bars?.({ size: [BAR_SHARE, BAR_PIXELS_MAX], align: 1 })
const bars = paths === undefined ? {} : { paths }

/** Draws lines over time. It follows the width of its place, and a change between light and dark. */
export function ChartCanvas({
  label,
  times,
  lines,
  shape,
  format,
  read,
  zone,
  counts = false,
}: ChartProps) {
  const draw = useCallback(
    (element: HTMLElement) => {
      const grid = { stroke: colour('line', element), width: 1 }
      const time = plotTime(unitOf(times), zone)
      const axis = { stroke: colour('soft', element), grid, ticks: { show: false } }
      return new uPlot(
        {
          width: element.clientWidth,
          height: HEIGHT_PIXELS,
          ...time.dates,
          legend: { show: false },
          cursor: { show: false },
          scales: {
            // The last step is a step, too.
            x: { range: (_, first, last) => [first, last + stepSeconds(times)] },
            y: { range: (_, __, top) => [0, top > 0 ? top * 1.1 : 1] },
          },
          axes: [
            {
              ...axis,
              size: TIME_AXIS_PIXELS,
              space: TIME_PIXELS,
              values: (_, splits) => splits.map(time.text),
            },
            {
              ...axis,
              size: AXIS_PIXELS,
              ...(counts ? { incrs: WHOLE_STEPS } : {}),
              values: (_, splits) => splits.map((each) => format(each)),
            },
          ],
          series: [
            {},
            ...lines.map(({ label, tone, values }) =>
              shape === 'bars'
                ? {
                    label,
                    fill: colour(tone, element),
                    width: 0,
                    ...bars,
                    points: { show: false },
                  }
                : {
                    label,
                    stroke: colour(tone, element),
                    width: 2,
                    // Steps in which nothing was measured are passed over.
                    spanGaps: true,
                    points: {
                      show: values.filter((value) => value !== null).length < POINTS_BELOW,
                      size: POINT_PIXELS,
                      fill: colour(tone, element),
                    },
                  },
            ),
          ],
        },
        [times.map((at) => at / 1_000), ...lines.map(({ values }) => [...values])],
        element,
      )
    },
    [times, lines, shape, format, zone, counts],
  )
  const { ref, plot } = usePlot(HEIGHT_PIXELS, draw)
  const kind = shape === 'bars' ? 'steps' : 'points'
  return (
    <PlotReader label={label} times={times} zone={zone} kind={kind} plot={plot} read={read}>
      <div ref={ref} aria-hidden="true" className="h-44 w-full overflow-hidden" />
    </PlotReader>
  )
}
