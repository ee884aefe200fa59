import { isPassing } from '../api/api-error.ts'
import type { Read } from '../api/read-again.ts'
import { stepTime } from '../format/time-text.ts'
import { ErrorPanel } from './error-panel.tsx'
import { Icon } from './icon.tsx'

/**
 * Says why something could not be read. What was read before stays where it is: a line above it says of when it is, as long as the
 * service cannot be asked, for then it is tried again. What the service refuses is no such thing: it is said as a refusal.
 */
export function ReadFault({ of: { data, error, dataUpdatedAt, refetch } }: { of: Read }) {
  if (error === null) return null
  if (data === undefined || !isPassing(error)) {
    return <ErrorPanel error={error} onRetry={() => void refetch()} />
  }
  return (
    <p role="status" className="mb-3 flex gap-2">
      <span className="text-warn">
        <Icon name="alert" />
      </span>
      Last read at {stepTime(dataUpdatedAt, Date.now())}. It could not be read anew since then, and
      is tried again by itself.
    </p>
  )
}
