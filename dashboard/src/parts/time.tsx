import { exactTime, relativeTime } from '../format/time-text.ts'
import { useNow } from './use-now.ts'

/** A moment: how long ago, and on the pointer the exact time. Unix milliseconds. */
export function Time({ at }: { at: number }) {
  const now = useNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="whitespace-nowrap">
      {relativeTime(at, now)}
    </time>
  )
}
