import uPlot from 'uplot'

const HOUR = { hour: '2-digit', minute: '2-digit' } as const
const DAY = { day: 'numeric', month: 'short' } as const
const UTC = 'Etc/UTC'

/** How the axis of a plot counts time. */
export interface PlotTime {
  /** A time at the axis, in words. */
  readonly text: (atSeconds: number) => string
  /** Where its steps begin, by the plot's own name for it. */
  readonly dates: Pick<uPlot.Options, 'tzDate'>
}

/**
 * Time by the reader's own clock; in UTC where each step is a day in UTC: by another clock it begins on the day before, and its mark
 * would stand beside another one.
 */
export function plotTime(unit: 'hour' | 'day', zone: 'UTC' | undefined): PlotTime {
  const parts = unit === 'hour' ? HOUR : DAY
  const words = new Intl.DateTimeFormat('en-GB', { ...parts, ...(zone && { timeZone: zone }) })
  return {
    text: (atSeconds) => words.format(atSeconds * 1_000),
    dates:
      zone === undefined
        ? {}
        : { tzDate: (atSeconds) => uPlot.tzDate(new Date(atSeconds * 1_000), UTC) },
  }
}
