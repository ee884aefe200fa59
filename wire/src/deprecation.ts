/** An operation that will go away: since when nobody should start to use it, when it ends, and what to use instead. */
export interface Deprecation {
  /** When it was announced, Unix milliseconds. */
  readonly sinceMilliseconds: number
  /** When it may stop to answer, Unix milliseconds. */
  readonly sunsetMilliseconds: number
  /** Path of the page that says how to move on, below /docs. */
  readonly guide: string
}

/** Callers have at least this long between the announcement and the end. */
export const DEPRECATION_DAYS_MIN = 90

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

/** What is wrong with a deprecation, in words; nothing when callers get the time and the guide they were promised. */
export function deprecationProblems(deprecated: Deprecation): readonly string[] {
  const { sinceMilliseconds, sunsetMilliseconds, guide } = deprecated
  const days = (sunsetMilliseconds - sinceMilliseconds) / DAY_MILLISECONDS
  return [
    ...(days >= DEPRECATION_DAYS_MIN ? [] : [`ends ${days} days after it was announced`]),
    ...(/^\/docs\/[\w/-]+$/.test(guide) ? [] : ['has no guide below /docs']),
  ]
}
