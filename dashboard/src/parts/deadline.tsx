import { exactTime, timeLeft } from '../format/time-text.ts'
import { useNow } from './use-now.ts'

/** A moment that is to come: in how long, and on the pointer the exact time. Unix milliseconds. */
export function Deadline({ at }: { at: number }) {
  const now = useNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="whitespace-nowrap">
      {timeLeft(at, now)}
    </time>
  )
}
