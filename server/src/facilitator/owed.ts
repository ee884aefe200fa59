import type { Claim } from './claim.ts'
import type { ReceivedState } from './records.ts'

/**
 * Whether an open claim of which nothing is under way is sent again by the watch of claims: its seller was told that it was paid, or it came
 * to nothing beside others. Then no call tells a final "no" of it, whatever speaks against it at this moment.
 */
export function isOwed(
  { answeredAtMilliseconds }: Pick<Claim, 'answeredAtMilliseconds'>,
  { reverted, wasShared }: Pick<ReceivedState, 'reverted' | 'wasShared'>,
): boolean {
  return answeredAtMilliseconds !== null || (reverted && wasShared)
}
