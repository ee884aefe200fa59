import type { Block, Chain, Head, UnreadArrival } from '../chains/chain.ts'
import { findParting } from '../chains/find-parting.ts'
import { nextBlocks } from '../chains/next-blocks.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import type { Sighting } from '../chains/self-custody.ts'
import type { Mined, PaymentBook } from './book.ts'
import type { BuildBook } from './build-book.ts'
import type { Deposit, DepositBook } from './deposit-book.ts'
import type { Cursor } from './follower-store.ts'
import { rememberedBlocks, storeBlocks } from './follower-store.ts'
import { haltNetwork } from './halt-store.ts'
import { readBelowHead } from './line-to-head.ts'
import { matchHashes } from './place-store.ts'
import type { Matched } from './place-store.ts'
import { readDeposits } from './read-deposits.ts'
import { readSightings } from './read-sightings.ts'
import { finalBelow, rollBack } from './roll-back-store.ts'
import { storeSeen } from './store-seen.ts'
import { openUnreadable } from './unreadable.ts'
import type { Seen } from './store-seen.ts'
import type { TradeBook } from './trade-book.ts'
import { noteUntold } from './untold-store.ts'
import type { UntoldPlace } from './untold-store.ts'
import {
  forgetUnreadDepositsAbove,
  NOBODY_KNOWN,
  noteUnreadDeposits,
} from './unread-deposit-store.ts'

export interface FollowDeps {
  readonly chain: Chain
  readonly store: Store
  readonly book: PaymentBook
  readonly deposits: DepositBook
  /** Left out where nothing is traded. */
  readonly trades?: Pick<TradeBook, 'unreadable'>
  /** Left out where nothing is built for others to sign. */
  readonly builds?: BuildBook
  readonly log: Log
  readonly killPoint: (point: KillPoint) => void
  /** Whether the lease that the cursor was read under still holds: then nobody else can have taken back what was committed. Left out: it does. */
  readonly isLeased?: () => boolean
  /** Told the newest block of each read. */
  readonly noteBlock?: (block: Block) => void
}

/** What blocks show of our places: what each did, and those of which no node tells it. */
interface SeenPlaces {
  readonly seen: readonly Seen[]
  readonly untold: readonly (UntoldPlace & { readonly matched: Matched })[]
}

/**
 * Reads the blocks after the cursor, at most a round's worth, moves every place of ours that they show, and takes in what came to
 * custodial wallets. One node round trip for the blocks, unless the head is the next one, one for what is in them, one more only when
 * something of ours is. Returns the cursor after what was committed.
 */
export async function followBlocks(
  deps: FollowDeps,
  cursor: Cursor,
  head: Pick<Head, 'block'> = {},
): Promise<Cursor> {
  try {
    return await readOn(deps, cursor, head)
  } catch (error) {
    // Who told the head may be ahead of who was asked for what is in it: then what that one has is read.
    if (!(error instanceof ChainMoved) || head.block === undefined) throw error
    return readOn(deps, cursor, {})
  }
}

async function readOn(
  deps: FollowDeps,
  cursor: Cursor,
  head: Pick<Head, 'block'>,
): Promise<Cursor> {
  const blocks = await nextBlocks(deps.chain, cursor, head, limits.followBlocksPerRoundMax)
  if (blocks === undefined) return undoReorg(deps, cursor)
  const newest = blocks.at(-1)
  if (newest === undefined) return cursor
  deps.noteBlock?.(newest)

  const [places, arrived, sightings] = await Promise.all([
    seenPlaces(deps, blocks),
    readDeposits(deps, blocks),
    readSightings(deps, blocks),
  ])
  if (arrived === undefined || sightings === undefined) {
    throw new ChainMoved('a block changed while its transfers were read')
  }
  return storeRound(deps, cursor, {
    ...places,
    ...arrived,
    blocks: firstOf(blocks, arrived.deposits),
    sightings,
  })
}

/** Everything that the first blocks of a read showed and the cursor behind them, in one transaction. */
async function storeRound(
  { chain, store, book, deposits: depositBook, builds, log, killPoint, isLeased }: FollowDeps,
  cursor: Cursor,
  read: SeenPlaces & {
    blocks: readonly Block[]
    deposits: readonly Deposit[]
    unread: readonly UnreadArrival[]
    sightings: readonly Sighting[]
  },
): Promise<Cursor> {
  const { network } = cursor
  const top = read.blocks.at(-1)?.height ?? cursor.height
  const seen = read.seen.filter(({ outcome }) => outcome.height <= top)
  const untold = read.untold.filter(({ height }) => height <= top)
  // What it brought is told with it, so that nothing is taken for a stranger's that is its effect.
  const withheld = new Set(untold.map(({ hash }) => hash))
  const deposits = read.deposits.filter(
    ({ height, transactionHash }) => height <= top && !withheld.has(transactionHash),
  )
  const unread = read.unread
    .filter(({ height, transactionHash }) => height <= top && !withheld.has(transactionHash))
    .map((each) => ({ ...each, sinceMilliseconds: timeOf(read.blocks, each.height) }))
  const sightings = read.sightings.filter(({ height }) => height <= top)
  const news: { tell?: ReturnType<Mined['hold']> } = {}
  const storing = store.inTransaction('service', async (tx) => {
    const next = await storeBlocks(tx, cursor, read.blocks)
    let hold: Mined['hold'] | undefined
    await noteUntold(tx, network, untold)
    await noteUnreadDeposits(tx, network, unread)
    // Claims before payments, as everybody else does who holds both.
    if (sightings.length > 0) await builds?.hold(tx, network, sightings)
    if (seen.length > 0) {
      hold = await storeSeen(tx, network, book, seen)
      killPoint('follow.before-commit')
    }
    if (sightings.length > 0) await builds?.sighted(tx, network, sightings)
    if (deposits.length > 0) {
      // After the places and builds: what a payment of ours or a built one brought about is known by then.
      await depositBook.arrived(tx, chain.config, deposits)
      killPoint('deposit.before-commit')
    }
    if (hold !== undefined) news.tell = hold()
    return next
  })
  let moved: Cursor | undefined
  try {
    moved = await storing
  } finally {
    // A process that stood still for longer than its lease hears late of its own commit.
    news.tell?.(isLeased?.() === false ? undefined : moved?.height)
  }
  for (const { matched, height } of untold) {
    const { hash, requestId, paymentIds } = matched
    const facts = { network, hash, requestId, paymentId: paymentIds[0], height: String(height) }
    log.error(facts, 'nobody here tells what it moved: it is pending until a node and its venue do')
  }
  for (const { transactionHash: hash, address = NOBODY_KNOWN, height } of unread) {
    const facts = { network, hash, address, height: String(height) }
    log.error(facts, 'no node tells what a followed block brought to a wallet: it is set aside')
  }
  if (seen.length > 0) killPoint('follow.after-commit')
  for (const { matched, outcome } of seen) {
    const { hash, requestId, paymentIds } = matched
    const { height, succeeded } = outcome
    const facts = { network, hash, requestId, paymentId: paymentIds[0] }
    log.info({ ...facts, height: String(height), succeeded }, 'mined')
  }
  if (deposits.length > 0) killPoint('deposit.after-commit')
  return moved
}

/** The first blocks, as many as do not bring more deposits than a round takes in, and one at least. */
function firstOf(blocks: readonly Block[], arrived: readonly Deposit[]): readonly Block[] {
  const last = arrived[limits.depositsPerRoundMax]?.height
  if (last === undefined) return blocks
  const whole = blocks.filter(({ height }) => height < last)
  return whole.length > 0 ? whole : blocks.slice(0, 1)
}

function timeOf(blocks: readonly Block[], at: bigint): number {
  return blocks.find(({ height }) => height === at)?.timeMilliseconds ?? 0
}

/** What our places did that the blocks show. One that is not in the block just read means a reorg in between: the round is dropped. */
async function seenPlaces(deps: FollowDeps, blocks: readonly Block[]): Promise<SeenPlaces> {
  const { chain, store } = deps
  const none = { seen: [], untold: [] }
  const hashes = blocks.flatMap((block) => block.transactionHashes)
  if (hashes.length === 0) return none
  const matches = await matchHashes(store, chain.config.network, hashes)
  if (matches.length === 0) return none
  const isUnreadable = await openUnreadable(deps, store, matches)
  const outcomes = await chain.outcomes(
    matches.map(({ hash }) => hash),
    blocks,
  )
  const blockAt = new Map(blocks.map((block) => [block.height, block]))
  const seen: Seen[] = []
  const untold: SeenPlaces['untold'][number][] = []
  for (const [index, matched] of matches.entries()) {
    const outcome = outcomes[index]
    const block =
      outcome === undefined || outcome.state === 'absent' ? undefined : blockAt.get(outcome.height)
    if (outcome === undefined || outcome.state === 'absent' || block?.hash !== outcome.blockHash) {
      throw new ChainMoved('a block changed while it was read')
    }
    if (outcome.state === 'mined' && !isUnreadable(matched, outcome))
      seen.push({ matched, outcome })
    else {
      const { height, timeMilliseconds: sinceMilliseconds } = block
      untold.push({ matched, hash: matched.hash, height, sinceMilliseconds })
    }
  }
  return { seen, untold }
}

/** The chain changed under a read; nothing was decided, the next round sees the new one. */
export class ChainMoved extends Error {
  override readonly name = 'ChainMoved'
}

/** Finds where the remembered blocks and the chain part, and reopens everything above. */
async function undoReorg(deps: FollowDeps, cursor: Cursor): Promise<Cursor> {
  const { chain, store, book, deposits, builds, log } = deps
  const { network } = cursor
  const remembered = await store.inTransaction('service', (tx) => rememberedBlocks(tx, cursor))
  if (remembered.length === 0) throw new Error('no block is remembered')
  const { ancestor, isGone } = await findParting(chain, remembered)
  if (!isGone) throw new ChainMoved('the node is behind what was read before')
  let halted: string | null = null
  if (ancestor === undefined || ancestor.height < cursor.finalizedHeight) {
    if (!(await isFinalReplaced(chain, cursor, remembered))) {
      throw new ChainMoved('the node is on a branch that was left behind')
    }
    const reason = `blocks at or below the final height ${cursor.finalizedHeight} were replaced`
    log.error({ network, height: String(cursor.height) }, reason)
    await store.inTransaction('service', (tx) => haltNetwork(tx, network, reason))
    halted = reason
  }
  if (ancestor === undefined) throw new ChainMoved('no common block is remembered')
  log.warn({ network, from: String(cursor.height), to: String(ancestor.height) }, 'reorg')
  const violated = await store.inTransaction('service', async (tx) => {
    const hasNonces = chain.renewal.kind === 'fee'
    const undone = await rollBack(tx, cursor, ancestor, { hasNonces })
    if (undone.reopened.length > 0) await book.vanished(tx, network, undone.reopened)
    if (undone.violated.length > 0) await book.finalityViolated(tx, network, undone.violated)
    await deposits.undone(tx, network, ancestor.height)
    await forgetUnreadDepositsAbove(tx, network, ancestor.height)
    await builds?.undone(tx, network, ancestor.height)
    return undone.violated
  })
  for (const paymentId of violated.slice(0, VIOLATED_NAMED_MAX)) {
    log.error({ network, paymentId, count: violated.length }, 'its final block was replaced')
  }
  const finalizedHeight = finalBelow(cursor, ancestor)
  return { ...cursor, ...ancestor, finalizedHeight, haltedReason: halted }
}

/** Payments that the log names one by one; the doctor names as many, and each has its event. */
const VIOLATED_NAMED_MAX = 50

/**
 * Whether a node calls another block final than the one that we have as final. One that hangs on a branch which finality has passed by
 * contradicts nothing: its own final block lies below.
 */
async function isFinalReplaced(
  chain: Chain,
  { finalizedHeight }: Cursor,
  remembered: readonly { height: bigint; blockHash: string }[],
): Promise<boolean> {
  const head = await chain.head()
  if (head.finalizedHeight < finalizedHeight) return false
  const final = await readBelowHead(chain, head, finalizedHeight)
  if (final === undefined) return false
  const known = remembered.find(({ height }) => height === finalizedHeight)
  return final.hash !== known?.blockHash
}
