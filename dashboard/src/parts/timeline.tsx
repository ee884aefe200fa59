import type { ReactNode } from 'react'
import type { Tone } from './badge.tsx'
import { Time } from './time.tsx'

export interface Moment {
  readonly key: string
  readonly at: number | null
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

/** What happened, one after the other; `at` null is what has not happened yet. */
export function Timeline({ label, moments }: { label: string; moments: readonly Moment[] }) {
  return (
    <ol aria-label={label} className="relative ml-1.5 space-y-4 border-l border-line pl-5">
      {moments.map(({ key, at, title, tone = 'neutral', children }) => (
        <li key={key} className={`relative ${at === null ? 'text-soft' : ''}`}>
          <span
            aria-hidden="true"
            className={`absolute top-1.5 -left-[1.6rem] size-2.5 rounded-full ring-4 ring-surface ${DOTS[tone]}`}
          />
          <div className="flex flex-wrap items-baseline gap-x-3">
            <span className="font-medium">{title}</span>
            {at === null ? null : (
              <span className="text-soft">
                <Time at={at} />
              </span>
            )}
          </div>
          {children}
        </li>
      ))}
    </ol>
  )
}
