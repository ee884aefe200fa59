import { useEffect, useState } from 'react'
import { clockTime } from '../format/time-text.ts'
import { Icon } from '../parts/icon.tsx'
import { useLiveState } from './live.tsx'

/** A connection that is made again at once is not worth a word. */
const NOTICE_MILLISECONDS = 3_000

/** Says at the lower edge that the connection is lost, and since when: what is shown is of then. */
export function AwayNotice() {
  const state = useLiveState()
  const [since, setSince] = useState<number | null>(null)
  useEffect(() => {
    if (state === 'live') setSince(null)
    if (state !== 'away') return undefined
    const at = Date.now()
    const timer = setTimeout(() => setSince(at), NOTICE_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [state])
  return (
    <div role="status" className="sticky bottom-3 z-10 mx-auto max-w-6xl">
      {since === null ? null : (
        <p className="mt-6 flex gap-2 rounded-lg border border-warn bg-warn-ground px-4 py-2.5">
          <span className="text-warn">
            <Icon name="alert" />
          </span>
          No connection to the service since {clockTime(since)}. What you see is of then; it goes on
          by itself once there is one.
        </p>
      )}
    </div>
  )
}
