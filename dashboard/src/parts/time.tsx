import { exactTime, timeAgo } from '../format/time-text.ts'
import { useSaidOfNow } from './use-now.ts'

/** A moment that is over: how long ago, and on the pointer the exact time. Unix milliseconds. `wraps`: in two lines where there is no room. */
export function Time({ at, wraps = false }: { at: number; wraps?: boolean }) {
  const said = useSaidOfNow((now) => timeAgo(at, now))
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={exactTime(at)}
      className={wraps ? undefined : 'whitespace-nowrap'}
    >
      {said}
    </time>
  )
}
