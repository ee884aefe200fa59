import { NodeFailure } from '../chains/chain.ts'
import type { Block, Chain, Outcome, TransactionHash } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { FollowDeps } from './follow.ts'
import { standsOnFollowed, storeFinality } from './follower-store.ts'
import type { Cursor } from './follower-store.ts'
import { matchHashes } from './place-store.ts'
import { readDeposits } from './read-deposits.ts'
import { storeSeen } from './store-seen.ts'
import type { Seen } from './store-seen.ts'
import { openUnreadable } from './unreadable.ts'
import { untoldHashes } from './untold-store.ts'

type Told = Seen['outcome']

/**
 * Asks again for what a followed block holds and no node told, and takes it in as its block would have been, with what it brought to
 * custodial wallets, once a node tells it. Only what stands in a block of the followed chain counts.
 */
export async function readUntold(deps: FollowDeps, cursor: Cursor): Promise<void> {
  try {
    await askAgain(deps, cursor)
  } catch (error) {
    passOver(deps, cursor, error)
  }
}

/** What nobody tells must not keep anybody from following. */
function passOver({ log }: FollowDeps, { network }: Cursor, error: unknown): void {
  if (!(error instanceof NodeFailure)) throw error
  log.warn({ network, reason: error }, 'what no node has told was not asked again')
}

async function askAgain(deps: FollowDeps, cursor: Cursor): Promise<void> {
  const { chain, store } = deps
  const { network } = cursor
  const hashes = await store.inTransaction('service', (tx) =>
    untoldHashes(tx, network, limits.untoldPlacesMax),
  )
  if (hashes.length === 0) return
  const outcomes = await outcomesOf(chain, hashes, cursor.height)
  let failures = 0
  // The block of one may be gone from every node: the others are not to wait for it, and nobody for a hundred of them.
  for (const index of turnsOf(hashes.length, cursor.height)) {
    const [hash, outcome] = [hashes[index], outcomes[index]]
    if (hash === undefined || failures >= FAILURES_MAX) break
    if (outcome?.state !== 'mined' || outcome.height > cursor.height) continue
    try {
      await takeIn(deps, cursor, hash, outcome)
    } catch (error) {
      passOver(deps, cursor, error)
      failures += 1
    }
  }
}

/** All places, beginning with another one at each height: whoever fails first ends a look soon. */
export function turnsOf(count: number, height: bigint): readonly number[] {
  const first = count === 0 ? 0 : Number(height % BigInt(count))
  return Array.from({ length: count }, (_, index) => (first + index) % count)
}

/** Asked together, and one by one where that fails: one that no node will answer for must not keep the others from being heard. */
async function outcomesOf(
  chain: Chain,
  hashes: readonly TransactionHash[],
  height: bigint,
): Promise<readonly (Outcome | undefined)[]> {
  try {
    return await chain.outcomes(hashes)
  } catch (error) {
    if (!(error instanceof NodeFailure) || hashes.length === 1) throw error
  }
  const outcomes: (Outcome | undefined)[] = hashes.map(() => undefined)
  let failures = 0
  for (const index of turnsOf(hashes.length, height)) {
    if (failures >= FAILURES_MAX) break
    const asked = hashes.slice(index, index + 1)
    try {
      ;[outcomes[index]] = await chain.outcomes(asked)
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      failures += 1
    }
  }
  return outcomes
}

/** Nodes that answer nothing at all are not waited for a hundred times. */
const FAILURES_MAX = 2

async function takeIn(
  deps: FollowDeps,
  cursor: Cursor,
  hash: TransactionHash,
  outcome: Told,
): Promise<void> {
  const { chain, store, book, deposits: depositBook, log } = deps
  const { network } = cursor
  const { height, blockHash, succeeded } = outcome
  if (blockHash === null) return
  const block: Block = {
    height,
    hash: blockHash,
    parentHash: '',
    timeMilliseconds: 0,
    transactionHashes: [hash],
  }
  const arrived = await readDeposits(deps, [block])
  // With what it brought to wallets, or not at all.
  if (arrived?.unread.some(({ transactionHash }) => transactionHash === hash) ?? true) return
  const deposits = arrived?.deposits.filter(({ transactionHash }) => transactionHash === hash) ?? []
  const taken = await store.inTransaction('service', async (tx) => {
    // The cursor's fence: whoever lost the lease takes nothing in, and nobody undoes blocks meanwhile.
    await storeFinality(tx, cursor, cursor.finalizedHeight)
    if (!(await standsOnFollowed(tx, network, { height, blockHash }))) return []
    const matches = await matchHashes(tx, network, [hash])
    const isUnreadable = await openUnreadable(deps, tx, matches)
    const open = matches.filter((matched) => !isUnreadable(matched, outcome))
    await storeSeen(
      tx,
      network,
      book,
      open.map((matched) => ({ matched, outcome })),
    )
    if (open.length > 0 && deposits.length > 0) {
      await depositBook.arrived(tx, chain.config, deposits)
    }
    return open
  })
  for (const { requestId, paymentIds } of taken) {
    const facts = { network, hash, requestId, paymentId: paymentIds[0] }
    log.info({ ...facts, height: String(height), succeeded }, 'told late: mined')
  }
}
