import { exactTime, timeAgo } from '../format/time-text.ts'
import { useNow } from './use-now.ts'

/** A moment that is over: how long ago, and on the pointer the exact time. Unix milliseconds. */
export function Time({ at }: { at: number }) {
  const now = useNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="whitespace-nowrap">
      {timeAgo(at, now)}
    </time>
  )
}
