import type { ExactLack } from '../chains/exact.ts'
import type { Clock } from '../kernel/clock.ts'
import type { JoinOrder } from './join.ts'

/** How often a node is waited for that does not have yet what another one shows, and for how long. */
export const NODE_WAITS_MAX = 3
const NODE_WAIT_MILLISECONDS = 700

/** The same for nodes that contradict each other: a call that never runs, as some wallets have it, is not to take long. */
const DISPUTE_WAITS_MAX = 1

/** The same for a blockhash that no node here takes: its payer may have had it a moment ago from one that is ahead. */
const BLOCKHASH_WAITS_MAX = 1

/** How often what was refused so may wait for a node, and be asked for again. */
export function nodeWaitsMax(refused: {
  readonly isBehind?: true
  readonly isDisputed?: true
  readonly isPastUntold?: true
  readonly lacks?: ExactLack
}): number {
  if (refused.isBehind === true) return NODE_WAITS_MAX
  if (refused.lacks === 'time' || refused.isPastUntold === true) return BLOCKHASH_WAITS_MAX
  return refused.isDisputed === true ? DISPUTE_WAITS_MAX : 0
}

/** Gives a node a moment. False when nobody waits so long. */
export async function waitForNode(
  { clock }: { readonly clock: Clock },
  { waitUntilMilliseconds, over }: Pick<JoinOrder, 'waitUntilMilliseconds' | 'over'>,
): Promise<boolean> {
  if (clock.nowMilliseconds() + NODE_WAIT_MILLISECONDS > waitUntilMilliseconds) return false
  await clock.sleep(NODE_WAIT_MILLISECONDS, over)
  return !over.aborted
}
