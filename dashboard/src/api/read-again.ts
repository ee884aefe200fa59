import type { QueryState } from '@tanstack/react-query'
import { isPassing } from './api-error.ts'

/** What is read and read again, as it stands now. */
export interface Read {
  /** Undefined: nothing was read yet, so nothing is shown. */
  readonly data: unknown
  /** Why it could not be read the last time. */
  readonly error: Error | null
  /** When what is shown was read: Unix milliseconds. */
  readonly dataUpdatedAt: number
  readonly refetch: () => Promise<unknown>
}

/** Between one try and the next of what could not be read anew and is read at no pace of its own. */
const AGAIN_MILLISECONDS = 10_000

/**
 * In how many milliseconds something is read again that is shown and could not be read anew; false where it could, where nothing is shown
 * yet, whose reader has a button, and where the service refused, which it would do again.
 */
export function againMilliseconds({
  state,
}: {
  readonly state: Pick<QueryState, 'data' | 'status' | 'error'>
}): number | false {
  const isStale = state.data !== undefined && state.status === 'error'
  return isStale && isPassing(state.error) ? AGAIN_MILLISECONDS : false
}
