import { useCallback, useMemo } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { CandlesProps, DrawnCandle } from './candles.tsx'
import { colour } from './palette.ts'
import { PlotReader } from './plot-reader.tsx'
import { plotTime } from './plot-time.ts'
import { usePlot } from './use-plot.ts'

const HEIGHT_PIXELS = 256
const AXIS_PIXELS = 84
const TIME_AXIS_PIXELS = 30
const TIME_PIXELS = 70
/** Of the room that a candle has, so much is its body. */
const BODY_PART = 0.7
const BODY_PIXELS_MAX = 24
/** Room for so many at least. */
const CANDLES_MIN = 30
/** Room above the highest and below the lowest price, as a part of the span. */
const MARGIN = 0.08
const DAY_SECONDS = 86_400

/** Draws candles: green where the price rose, red where it fell. It follows the width of its place and the theme. */
export function CandlesCanvas({ label, candles, seconds, format, read }: CandlesProps) {
  // Candles of a day are of days in UTC.
  const zone = seconds < DAY_SECONDS ? undefined : 'UTC'
  const draw = useCallback(
    (element: HTMLElement) => {
      const grid = { stroke: colour('line', element), width: 1 }
      const axis = { stroke: colour('soft', element), grid, ticks: { show: false } }
      const tones = { rose: colour('good', element), fell: colour('bad', element) }
      const time = plotTime(seconds < DAY_SECONDS / 24 ? 'hour' : 'day', zone)
      return new uPlot(
        {
          width: element.clientWidth,
          height: HEIGHT_PIXELS,
          ...time.dates,
          legend: { show: false },
          cursor: { show: false },
          scales: {
            x: { range: () => timesOf(candles, seconds) },
            y: { range: () => rangeOf(candles) },
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
              values: (_, splits) => splits.map((each) => format(each)),
            },
          ],
          series: [{}, { paths: () => null, points: { show: false } }],
          hooks: { draw: [(drawn) => drawCandles(drawn, candles, seconds, tones)] },
        },
        [candles.map(({ time }) => time / 1_000), candles.map(({ close }) => close)],
        element,
      )
    },
    [candles, seconds, zone, format],
  )
  const { ref, plot } = usePlot(HEIGHT_PIXELS, draw)
  const times = useMemo(() => candles.map(({ time }) => time), [candles])
  return (
    <PlotReader label={label} times={times} zone={zone} kind="points" plot={plot} read={read}>
      <div ref={ref} aria-hidden="true" className="h-64 w-full overflow-hidden" />
    </PlotReader>
  )
}

/** Unix seconds from side to side; a few candles stand at the right, where the next one comes. */
function timesOf(candles: readonly DrawnCandle[], seconds: number): [number, number] {
  const [first = 0, last = 0] = [candles[0], candles.at(-1)].map(
    (each) => (each?.time ?? 0) / 1_000,
  )
  return [Math.min(first, last - CANDLES_MIN * seconds) - seconds, last + seconds]
}

function rangeOf(candles: readonly DrawnCandle[]): [number, number] {
  const low = Math.min(...candles.map((each) => each.low))
  const high = Math.max(...candles.map((each) => each.high))
  const margin = high === low ? high * MARGIN : (high - low) * MARGIN
  return [low - margin, high + margin]
}

function drawCandles(
  { ctx, valToPos }: uPlot,
  candles: readonly DrawnCandle[],
  seconds: number,
  tones: { readonly rose: string; readonly fell: string },
): void {
  const first = (candles[0]?.time ?? 0) / 1_000
  const room = Math.abs(valToPos(first + seconds, 'x', true) - valToPos(first, 'x', true))
  const width = Math.max(1, Math.min(room * BODY_PART, BODY_PIXELS_MAX * devicePixelRatio))
  ctx.save()
  for (const { time, open, high, low, close } of candles) {
    const middle = valToPos(time / 1_000, 'x', true)
    const [top, bottom] = [Math.max(open, close), Math.min(open, close)].map((price) =>
      valToPos(price, 'y', true),
    )
    if (top === undefined || bottom === undefined) continue
    ctx.fillStyle = close >= open ? tones.rose : tones.fell
    const highest = valToPos(high, 'y', true)
    ctx.fillRect(middle - 0.5, highest, 1, Math.max(1, valToPos(low, 'y', true) - highest))
    ctx.fillRect(middle - width / 2, top, width, Math.max(1, bottom - top))
  }
  ctx.restore()
}
