import type { Clock } from '../kernel/clock.ts'
import type { JoinOrder } from './join.ts'

/** How often a node is waited for that does not have yet what another one shows, and for how long. */
export const NODE_WAITS_MAX = 3
const NODE_WAIT_MILLISECONDS = 700

/** Gives a node a moment. False when nobody waits so long. */
export async function waitForNode(
  { clock }: { readonly clock: Clock },
  { waitUntilMilliseconds, over }: Pick<JoinOrder, 'waitUntilMilliseconds' | 'over'>,
): Promise<boolean> {
  if (clock.nowMilliseconds() + NODE_WAIT_MILLISECONDS > waitUntilMilliseconds) return false
  await clock.sleep(NODE_WAIT_MILLISECONDS, over)
  return !over.aborted
}
