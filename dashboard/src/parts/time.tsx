import { exactTime, timeAgo } from '../format/time-text.ts'
import { useSaidOfNow } from './use-now.ts'

/** A moment that is over: how long ago, and on the pointer the exact time. Unix milliseconds. */
export function Time({ at }: { at: number }) {
  const said = useSaidOfNow((now) => timeAgo(at, now))
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="whitespace-nowrap">
      {said}
    </time>
  )
}
