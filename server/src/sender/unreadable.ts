import type { Tx } from '../store/postgres.ts'
import type { FollowDeps } from './follow.ts'
import type { Matched } from './place-store.ts'
import type { Seen } from './store-seen.ts'

/**
 * Whether a place carries a trade of a venue that this instance has not, and so did something that it cannot read: to take it as it looks
 * would book a trade that happened as one that did nothing. One that failed did nothing, whoever reads it.
 */
export async function openUnreadable(
  { chain, trades }: Pick<FollowDeps, 'chain' | 'trades'>,
  tx: Tx,
  matches: readonly Matched[],
): Promise<(matched: Matched, outcome: Pick<Seen['outcome'], 'succeeded'>) => boolean> {
  // Venues from outside are of chains on which what is untold is asked for again.
  if (trades === undefined || matches.length === 0 || chain.renewal.kind !== 'lifetime') {
    return () => false
  }
  const paymentIds = matches.flatMap((matched) => matched.paymentIds)
  const unreadable = await trades.unreadable(tx, chain.config.network, paymentIds)
  return (matched, { succeeded }) =>
    succeeded && matched.paymentIds.some((paymentId) => unreadable.has(paymentId))
}
