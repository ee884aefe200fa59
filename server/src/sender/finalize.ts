import type { Head } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { FollowDeps } from './follow.ts'
import type { Cursor } from './follower-store.ts'
import { storeFinality } from './follower-store.ts'
import { lockLanes } from './lane-store.ts'
import { closeFinal } from './place-store.ts'

export type FinalizeDeps = Pick<FollowDeps, 'store' | 'book' | 'deposits' | 'killPoint'>

/**
 * Closes what has become final: only blocks that this follower itself has read in one unbroken chain count, so a node that
 * runs ahead decides nothing.
 */
export async function closeFinalBlocks(
  { store, book, deposits, killPoint }: FinalizeDeps,
  cursor: Cursor,
  head: Head,
): Promise<Cursor> {
  const height = head.finalizedHeight < cursor.height ? head.finalizedHeight : cursor.height
  if (height <= cursor.finalizedHeight) return cursor
  const { network } = cursor
  let isLast: boolean
  let last = cursor
  do {
    const result = await store.inTransaction('service', async (tx) => {
      const closing = await closeFinal(tx, network, height, limits.finalBatchMax)
      const settled = await deposits.final(tx, network, height, limits.finalBatchMax)
      const isWhole = closing.length < limits.finalBatchMax && settled < limits.finalBatchMax
      // The cursor is written every time: its fence refuses a batch of an instance that lost the lease.
      const moved = await storeFinality(tx, cursor, isWhole ? height : cursor.finalizedHeight)
      if (closing.length > 0) {
        await lockLanes(
          tx,
          network,
          closing.map(({ laneAddress }) => laneAddress),
        )
        await book.final(
          tx,
          closing.map((transaction) => ({ ...transaction, network })),
        )
        killPoint('settle.before-commit')
      }
      if (settled > 0) killPoint('deposit.before-settle')
      return { closed: closing.length, settled, isWhole, moved }
    })
    isLast = result.isWhole
    last = result.moved
    if (result.closed > 0) killPoint('settle.after-commit')
    if (result.settled > 0) killPoint('deposit.after-settle')
  } while (!isLast)
  return last
}
