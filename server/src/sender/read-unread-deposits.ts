import { NodeFailure } from '../chains/chain.ts'
import type { Block, UnreadArrival } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FollowDeps } from './follow.ts'
import { standsOnFollowed, storeFinality } from './follower-store.ts'
import type { Cursor } from './follower-store.ts'
import { readDeposits } from './read-deposits.ts'
import {
  forgetUnreadDeposit,
  nameUnreadDeposit,
  NOBODY_KNOWN,
  takeUnreadDeposits,
} from './unread-deposit-store.ts'

export type UnreadDepositDeps = Pick<FollowDeps, 'chain' | 'store' | 'deposits' | 'log'> & {
  readonly clock: Clock
}

/**
 * Asks again for what followed blocks brought to wallets and no node told in a way that can be believed, and takes it in as its block would have
 * been, once one does.
 */
export async function readUnreadDeposits(deps: UnreadDepositDeps, cursor: Cursor): Promise<void> {
  const { store, clock, log } = deps
  const { network } = cursor
  const due = await store.inTransaction('service', (tx) =>
    takeUnreadDeposits(tx, network, clock.nowMilliseconds()),
  )
  for (const place of due) {
    try {
      await askAgain(deps, cursor, place)
    } catch (error) {
      // What nobody tells must not keep anybody from following.
      if (!(error instanceof NodeFailure)) throw error
      const { transactionHash: hash, address = NOBODY_KNOWN } = place
      const facts = { network, hash, address, reason: error }
      log.warn(facts, 'a deposit that was set aside was not asked for again')
    }
  }
}

async function askAgain(
  deps: UnreadDepositDeps,
  cursor: Cursor,
  place: UnreadArrival,
): Promise<void> {
  const { chain, store, deposits: depositBook, log } = deps
  const { network } = cursor
  const { transactionHash, height, blockHash } = place
  const block: Block = {
    height,
    hash: blockHash,
    parentHash: '',
    timeMilliseconds: 0,
    transactionHashes: [transactionHash],
  }
  const read = await readDeposits(deps, [block])
  if (read === undefined) return
  const untold = read.unread.find((each) => each.transactionHash === transactionHash)
  const address = place.address ?? untold?.address ?? NOBODY_KNOWN
  const facts = { network, hash: transactionHash, address, height: String(height) }
  if (untold !== undefined) {
    if (place.address === undefined && untold.address !== undefined) {
      const { address: named } = untold
      await store.inTransaction('service', (tx) => nameUnreadDeposit(tx, network, place, named))
    }
    log.warn(facts, 'no node tells what a followed block brought to a wallet: it is set aside')
    return
  }
  const deposits = read.deposits.filter((each) => each.transactionHash === transactionHash)
  const taken = await store.inTransaction('service', async (tx) => {
    // The cursor's fence: whoever lost the lease takes nothing in, and nobody undoes blocks meanwhile.
    await storeFinality(tx, cursor, cursor.finalizedHeight)
    if (!(await standsOnFollowed(tx, network, { height, blockHash }))) return false
    if (!(await forgetUnreadDeposit(tx, network, place))) return false
    if (deposits.length > 0) await depositBook.arrived(tx, chain.config, deposits)
    return true
  })
  if (taken) log.info({ ...facts, count: deposits.length }, 'told late: a deposit')
}
