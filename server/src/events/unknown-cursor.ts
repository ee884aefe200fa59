import { Refusal } from '@florin/wire/errors.ts'
import { limits } from '../kernel/limits.ts'

/** What is told about an `after` that nobody can go on from. */
export function unknownCursor(): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    details: {
      after: `is no event of this account of the last ${limits.eventDays} days; GET /events without it begins at the oldest`,
    },
  })
}
