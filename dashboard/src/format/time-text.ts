const STEPS = [
  { unit: 'second', milliseconds: 1_000, below: 60_000 },
  { unit: 'minute', milliseconds: 60_000, below: 3_600_000 },
  { unit: 'hour', milliseconds: 3_600_000, below: 86_400_000 },
  { unit: 'day', milliseconds: 86_400_000, below: 30 * 86_400_000 },
  { unit: 'month', milliseconds: 30 * 86_400_000, below: 365 * 86_400_000 },
] as const
const YEAR_MILLISECONDS = 365 * 86_400_000
const NOW_BELOW_MILLISECONDS = 10_000

/**
 * How long ago something happened, in words: "3 minutes ago". Both in Unix milliseconds. What seems to be ahead has just happened: the
 * reader's clock lags, or was looked at before.
 */
export function timeAgo(atMilliseconds: number, nowMilliseconds: number): string {
  const distance = atMilliseconds - nowMilliseconds
  return distance > -NOW_BELOW_MILLISECONDS ? 'just now' : inWords(distance)
}

/** In how long something will happen, in words: "in 12 seconds". Both in Unix milliseconds. What is over is told as what happened. */
export function timeLeft(atMilliseconds: number, nowMilliseconds: number): string {
  const distance = atMilliseconds - nowMilliseconds
  return distance > 0
    ? inWords(Math.max(distance, 1_000))
    : timeAgo(atMilliseconds, nowMilliseconds)
}

function inWords(distance: number): string {
  const size = Math.abs(distance)
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
  const step = STEPS.find(({ below }) => size < below)
  return step === undefined
    ? words.format(Math.trunc(distance / YEAR_MILLISECONDS), 'year')
    : words.format(Math.trunc(distance / step.milliseconds), step.unit)
}

/** Date and time of the reader's own clock, to the second, with its zone: "21 Nov 2026, 12:40:05 UTC". */
export function exactTime(atMilliseconds: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' }).format(
    atMilliseconds,
  )
}

/** Time of the reader's own clock, to the second: "12:40:05". */
export function clockTime(atMilliseconds: number): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(atMilliseconds)
}

const clockZone = new Intl.DateTimeFormat('en-GB', { timeStyle: 'long' })

/** A moment after another one, with its zone: its time alone on the same day of the reader's own clock, else its date, too. */
export function stepTime(atMilliseconds: number, beforeMilliseconds: number): string {
  const isSameDay =
    new Date(atMilliseconds).toDateString() === new Date(beforeMilliseconds).toDateString()
  return isSameDay ? clockZone.format(atMilliseconds) : exactTime(atMilliseconds)
}

const minute = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
})
const clockMinute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })

/** The zone of the reader's own clock at a moment: "UTC", "CET", "GMT+2". */
export function zoneText(atMilliseconds: number): string {
  return zone.formatToParts(atMilliseconds).find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** A stretch of time by the reader's own clock, to the minute: "21 Nov, 12:40 to 12:41 UTC". Both in Unix milliseconds. */
export function stretchText(fromMilliseconds: number, toMilliseconds: number): string {
  const isSameDay =
    new Date(fromMilliseconds).toDateString() === new Date(toMilliseconds).toDateString()
  return `${minute.format(fromMilliseconds)} to ${(isSameDay ? clockMinute : minute).format(toMilliseconds)} ${zoneText(toMilliseconds)}`
}

const utcDay = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', timeZone: 'UTC' },
})

/** A day of the calendar in UTC, by which the service counts: "21 Nov in UTC". Its beginning in Unix milliseconds. */
export function utcDayText(fromMilliseconds: number): string {
  return `${utcDay.format(fromMilliseconds)} in UTC`
}

/** A span for people: 850 ms, 3.2 s, 4 min, 5 h, 3 days. */
export function spanText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 120_000) return `${(milliseconds / 1_000).toFixed(1)} s`
  if (milliseconds < 120 * 60_000) return `${Math.round(milliseconds / 60_000)} min`
  if (milliseconds < 48 * 3_600_000) return `${Math.round(milliseconds / 3_600_000)} h`
  return `${Math.round(milliseconds / 86_400_000)} days`
}

/** How long after another moment something happened: "81 ms later"; nothing where the clock was set back between the two. */
export function laterText(atMilliseconds: number, beforeMilliseconds: number): string {
  return atMilliseconds < beforeMilliseconds
    ? ''
    : `${spanText(atMilliseconds - beforeMilliseconds)} later`
}
