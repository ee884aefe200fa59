import type { Draft } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { followedHeight } from '../sender/follower-store.ts'
import type { Store } from '../store/postgres.ts'
import type { CarryOrder } from './carry.ts'

const FOLLOW_PAUSE_MILLISECONDS = 50

/** Waits until the draft's block has been read, until the deadline at most; whether it was. */
export async function awaitFollowed(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { accountId, chain, clientGone }: Pick<CarryOrder, 'accountId' | 'chain' | 'clientGone'>,
  { balances: { height } }: Draft,
  deadlineMilliseconds: number,
): Promise<boolean> {
  while (clock.nowMilliseconds() < deadlineMilliseconds && !clientGone.aborted) {
    const read = await store.inTransaction(accountId, (tx) =>
      followedHeight(tx, chain.config.network),
    )
    if (read !== null && read >= height) return true
    await clock.sleep(FOLLOW_PAUSE_MILLISECONDS, clientGone)
  }
  return false
}
