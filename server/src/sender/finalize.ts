import type { NetworkId } from '@florin/wire/network.ts'
import type { Head } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { FollowDeps } from './follow.ts'
import type { Cursor } from './follower-store.ts'
import { areFollowed, lockFollowed, storeFinality } from './follower-store.ts'
import { lockLanes } from './lane-store.ts'
import { closeFinal } from './place-store.ts'

export type FinalizeDeps = Pick<FollowDeps, 'store' | 'book' | 'deposits' | 'builds' | 'killPoint'>

/**
 * Closes what has become final. A final height says something of a block only on the branch of the node that told it: `told` are
 * the heads that nodes named, and one counts once it is a block of the unbroken chain that this follower itself has read. A node that
 * runs ahead decides nothing, nor do two nodes of which one hangs on a branch that was left behind. `between` runs after each batch but the
 * last: whoever waits for a new block does not wait for all that is final.
 */
export async function closeFinalBlocks(
  deps: FinalizeDeps,
  from: Cursor,
  told: readonly Head[],
  between: (cursor: Cursor) => Promise<Cursor> = (cursor) => Promise.resolve(cursor),
): Promise<Cursor> {
  const { store, book, killPoint } = deps
  const { network } = from
  let cursor = from
  while (cursor.haltedReason === null) {
    const height = await finalOnOurs(store, cursor, told)
    if (height <= cursor.finalizedHeight) break
    const { isWhole, ...result } = await store.inTransaction('service', async (tx) => {
      await lockFollowed(tx, network)
      const { closed: closing, isWhole: areClosed } = await closeFinal(
        tx,
        network,
        height,
        limits.finalPaymentsMax,
      )
      // Before any ledger, as who signs does: what is closed of others books, too, also of wallets that have a place here.
      if (closing.length > 0) {
        await lockLanes(
          tx,
          network,
          closing.map(({ laneAddress }) => laneAddress),
        )
      }
      // With the last of our own: what others sent takes six statements, however little of it there is.
      const { settled, areAll } = areClosed
        ? await closeFinalOfOthers(deps, tx, network, height)
        : { settled: 0, areAll: false }
      // The cursor is written every time: its fence refuses a batch of an instance that lost the lease.
      const moved = await storeFinality(tx, cursor, areAll ? height : cursor.finalizedHeight)
      if (closing.length > 0) {
        await book.final(
          tx,
          closing.map((transaction) => ({ ...transaction, network })),
        )
        killPoint('settle.before-commit')
      }
      if (settled > 0) killPoint('deposit.before-settle')
      return { closed: closing.length, settled, isWhole: areAll, moved }
    })
    cursor = result.moved
    if (result.closed > 0) killPoint('settle.after-commit')
    if (result.settled > 0) killPoint('deposit.after-settle')
    if (isWhole) break
    cursor = await between(cursor)
  }
  return cursor
}

/** Closes what others sent, a batch of each kind. Whether that was all, and how many deposits. */
async function closeFinalOfOthers(
  { deposits, builds }: FinalizeDeps,
  tx: Tx,
  network: NetworkId,
  height: bigint,
): Promise<{ readonly settled: number; readonly areAll: boolean }> {
  const settled = await deposits.final(tx, network, height, limits.finalBatchMax)
  const built = (await builds?.final(tx, network, height, limits.finalBatchMax)) ?? 0
  return { settled, areAll: [settled, built].every((each) => each < limits.finalBatchMax) }
}

/** The highest block of the followed chain that a node of the same branch has called final. */
async function finalOnOurs(
  store: FinalizeDeps['store'],
  cursor: Cursor,
  told: readonly Head[],
): Promise<bigint> {
  const news = told.filter(
    ({ height, finalizedHeight }) =>
      height <= cursor.height && finalizedHeight > cursor.finalizedHeight,
  )
  if (news.length === 0) return cursor.finalizedHeight
  const followed = await areFollowed(store, cursor.network, news)
  return news
    .filter(({ hash }) => followed.has(hash))
    .reduce(
      (most, { finalizedHeight }) => (finalizedHeight > most ? finalizedHeight : most),
      cursor.finalizedHeight,
    )
}
