import type { ReactNode } from 'react'
import { exactTime, laterText, spanText, stepTime } from '../format/time-text.ts'
import type { Tone } from './badge.tsx'
import { Time } from './time.tsx'
import { useNow } from './use-now.ts'

export interface Moment {
  readonly key: string
  /** Unix milliseconds; null where it is not known, or not yet. */
  readonly at: number | null
  /** It has not happened yet. */
  readonly isAhead?: boolean
  readonly title: ReactNode
  readonly tone?: Tone
  readonly children?: ReactNode
}

const DOTS: Readonly<Record<Tone, string>> = {
  neutral: 'bg-edge',
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  info: 'bg-info',
  brand: 'bg-brand',
}

/**
 * What happened, one after the other: when each step came and how much later than the one before, and how long the next one is waited
 * for. A step whose time is not known says so.
 */
export function Timeline({ label, moments }: { label: string; moments: readonly Moment[] }) {
  const next = moments.find(({ isAhead }) => isAhead)
  return (
    <ol aria-label={label} className="relative ml-1.5 space-y-4 border-l border-line pl-5">
      {moments.map(({ key, at, isAhead = false, title, tone = 'neutral', children }, index) => {
        const before = moments.slice(0, index).findLast((each) => each.at !== null)?.at ?? null
        return (
          <li key={key} className={`relative ${isAhead ? 'text-soft' : ''}`}>
            <span
              aria-hidden="true"
              className={`absolute top-1.5 -left-[1.6rem] size-2.5 rounded-full ring-4 ring-surface ${DOTS[tone]}`}
            />
            <div className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-medium">{title}</span>
              <span className="text-soft">
                {at !== null ? (
                  <When at={at} before={before} />
                ) : !isAhead ? (
                  'at a time that was not noted'
                ) : key === next?.key && before !== null ? (
                  <Waits since={before} />
                ) : null}
              </span>
            </div>
            {children}
          </li>
        )
      })}
    </ol>
  )
}

function When({ at, before }: { at: number; before: number | null }) {
  if (before === null) {
    return (
      <>
        {exactTime(at)}, {/* It counts on, and says nothing new by that. */}
        <span aria-live="off">
          <Time at={at} />
        </span>
      </>
    )
  }
  const later = laterText(at, before)
  return (
    <>
      <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
        {stepTime(at, before)}
      </time>
      {later === '' ? null : (
        <>
          , <span>{later}</span>
        </>
      )}
    </>
  )
}

function Waits({ since }: { since: number }) {
  const now = useNow()
  // To the second, and nothing in the first: it would only flicker.
  const seconds = Math.floor((now - since) / 1_000)
  const text = seconds < 120 ? `${seconds} s` : spanText(seconds * 1_000)
  return seconds < 1 ? null : <span aria-live="off">for {text}</span>
}
