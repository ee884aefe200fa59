import { NodeFailure } from '../chains/chain.ts'
import type { Head } from '../chains/chain.ts'
import { hasLeft } from '../kernel/has-left.ts'
import { limits } from '../kernel/limits.ts'
import { CommitUnknown, StoreUnavailable } from '../store/postgres.ts'
import { openBeside } from './beside.ts'
import type { Waiting } from './bump.ts'
import { bumpStuck } from './bump.ts'
import { openFinalPace } from './final-pace.ts'
import { gatherMilliseconds, openHeadPace } from './head-pace.ts'
import { closeFinalBlocks } from './finalize.ts'
import type { FollowDeps } from './follow.ts'
import { ChainMoved, followBlocks } from './follow.ts'
import {
  askForLease,
  beginFollowing,
  LeaseLost,
  releaseLease,
  takeLease,
} from './follower-store.ts'
import type { Cursor, LeaseAnswer } from './follower-store.ts'
import type { HeldUpLanes } from './freeze-held-up.ts'
import type { Suspects } from './guard.ts'
import { guardLanes, guardPause } from './guard.ts'
import { readBelowHead } from './line-to-head.ts'
import type { NextAttemptDeps } from './next-attempt.ts'
import type { DeadAttempts } from './dead-attempts.ts'
import { openPause } from './pause.ts'
import { openReadByAnother } from './read-by-another.ts'
import { readUntoldBuilds } from './read-untold-builds.ts'
import { openToldHeads } from './told-heads.ts'
import { readUntold } from './read-untold.ts'
import { readUnreadDeposits } from './read-unread-deposits.ts'
import { rebroadcast } from './rebroadcast.ts'
import { lookPause, rebuildExpired } from './rebuild.ts'
import type { WarnedPlaces } from './warn-found.ts'
import { warnOfFound } from './warn-found.ts'

export type DriverDeps = FollowDeps &
  NextAttemptDeps & {
    readonly instance: string
    /** What else looks at the chain beside the rounds while this instance has the lease, with a second between two looks. */
    readonly watch?: (finalizedHeight: bigint, stopping: AbortSignal) => Promise<void>
    /** Whoever else reads the network's blocks here need not ask for its head. */
    readonly noteHead?: (head: Head) => void
    /** The same, once the blocks up to it have been read here: whoever reads them then is asked for none of them. */
    readonly noteRead?: (head: Head) => void
  }

/** What a driver last managed to do, for health and metrics. */
export interface DriverState {
  /** True once a node and the database have answered a whole round. */
  readonly following: boolean
  readonly height: bigint | null
  /** The newest block that a node has shown; null before the first answer. */
  readonly headHeight: bigint | null
  readonly lastRoundMilliseconds: number | null
  /** When all that was new had been read, by this instance or, while another follows, as far as the cursor tells; null before. */
  readonly readAtMilliseconds: number | null
}

export interface Driver {
  state(): DriverState
  /** Does the next round at once instead of after its pause. */
  wake(): void
  /** Something was sent: a block that is overdue may be made for it, and is looked for soon. */
  expect(): void
  stop(): Promise<void>
}

/**
 * Drives one network: follows its blocks, closes what is final, sends stored bytes again, raises fees, watches lanes. One
 * instance at a time, under a lease; every failure ends a round and decides nothing.
 */
export function startDriver(deps: DriverDeps): Driver {
  const { chain, store, clock, log, instance } = deps
  const { network, blockTimeMilliseconds } = chain.config
  const pace = openHeadPace(clock, blockTimeMilliseconds, gatherMilliseconds(chain.config))
  const finals = openFinalPace(clock, chain.config)
  const told = openToldHeads(chain)
  const resendMilliseconds = Math.max(blockTimeMilliseconds * 2, RESEND_MILLISECONDS_MIN)
  // Short where blocks are quick, so that a killed instance is soon followed by the next.
  const leaseMilliseconds = Math.min(
    Math.max(blockTimeMilliseconds * LEASE_BLOCKS, LEASE_MILLISECONDS_MIN),
    limits.leaseSeconds * 1000,
  )
  const stopping = new AbortController()
  let pause = new AbortController()
  const waiting: Waiting = new Map()
  const suspects: Suspects = new Map()
  const heldUp: HeldUpLanes = new Map()
  const warned: WarnedPlaces = new Map()
  const heard: DeadAttempts = new Map()
  const readByAnother = openReadByAnother()
  const closing = openPause(clock, limits.finalPauseMilliseconds)
  const looks = openPause(clock, lookPause(chain))
  const resending = openBeside(
    clock,
    Math.min(resendMilliseconds / 2, PAUSE_MILLISECONDS_MAX),
    report,
  )
  const bumping = openBeside(clock, BUMP_PAUSE_MILLISECONDS, report)
  const guarding = openBeside(clock, guardPause(blockTimeMilliseconds), report)
  const watching = openBeside(clock, WATCH_PAUSE_MILLISECONDS, (error) =>
    log.warn({ network, reason: error }, 'a look was given up'),
  )
  /** The chain's height when stuck places were last looked at: only blocks make them older, and time where blocks were quick. */
  let bumpedAt: bigint | undefined
  /** The cursor as this instance moved it, while its lease lasts. */
  let held: { readonly cursor: Cursor; readonly renewAt: number } | undefined
  let isBegun = false
  /** The head is about to be looked at for something that was sent. */
  let isExpecting = false
  let isPausing = false
  let failures = 0
  let state: DriverState = {
    following: false,
    height: null,
    headHeight: null,
    lastRoundMilliseconds: null,
    readAtMilliseconds: null,
  }

  /** The cursor, under a lease that is renewed now and then; a write without it is refused by its fence. */
  async function hold(): Promise<LeaseAnswer> {
    const now = clock.nowMilliseconds()
    if (held !== undefined && hasLeft(held.renewAt, now, leaseMilliseconds / 2)) {
      return { cursor: held.cursor, height: held.cursor.height }
    }
    const asked = await store.inTransaction('service', (tx) =>
      askForLease(tx, network, instance, leaseMilliseconds),
    )
    held = asked.cursor && { cursor: asked.cursor, renewAt: now + leaseMilliseconds / 2 }
    return asked
  }

  /** Reckoned from before the lease was asked for, so never for longer than the database has it. */
  const isLeased = () =>
    held !== undefined &&
    hasLeft(held.renewAt + leaseMilliseconds / 2, clock.nowMilliseconds(), leaseMilliseconds)

  function moved(cursor: Cursor): Cursor {
    // Let go of meanwhile: the next round asks the database.
    if (held !== undefined) held = { ...held, cursor }
    return cursor
  }

  async function lookAtHead(): Promise<Head> {
    const known = finals.isDue() ? undefined : held?.cursor.finalizedHeight
    const head = await chain.head(known)
    if (known === undefined) finals.told(head)
    pace.looked(told.note(head, known), head.block?.transactionHashes.length === 0)
    deps.noteHead?.(head)
    return head
  }

  /** Reads the blocks up to a head, as far as there are any and nobody stops it. */
  async function readTo(from: Cursor, head: Head): Promise<Cursor> {
    let cursor = from
    let next: Pick<Head, 'block'> = head
    let before: bigint
    do {
      // Its newest block is the chain's: there is nothing to read.
      if (cursor.blockHash === head.hash) break
      before = cursor.height
      cursor = moved(await followBlocks({ ...deps, isLeased }, cursor, next))
      const isShown = next.block !== undefined && cursor.blockHash === head.hash
      if (cursor.height > before) told.shown(isShown ? head.hash : undefined)
      // What was the head's block when a long way began may not be at its end.
      next = {}
    } while (
      cursor.haltedReason === null &&
      cursor.height > before &&
      cursor.height < head.height &&
      !stopping.signal.aborted
    )
    return cursor
  }

  async function round(): Promise<void> {
    // First, so that an instance whose nodes do not answer lets its lease run out.
    const head = await lookAtHead()
    await roundAt(head).finally(() => deps.noteRead?.(head))
  }

  async function roundAt(head: Head): Promise<void> {
    const { cursor: taken, height } = await hold()
    state = { ...state, headHeight: head.height }
    if (taken === undefined) {
      await begin(head)
      const nowMilliseconds = clock.nowMilliseconds()
      const readAtMilliseconds = readByAnother({ height, headHeight: head.height, nowMilliseconds })
      const lastRoundMilliseconds = nowMilliseconds
      state = { ...state, following: true, lastRoundMilliseconds, readAtMilliseconds }
      return
    }
    if (taken.haltedReason !== null) {
      // Whoever looks at it says so in the database.
      held = undefined
      state = { ...state, following: false, height: taken.height }
      return
    }
    resending.begin(() => rebroadcast(deps, network, resendMilliseconds))
    const cursor = await closeFinal(await readTo(taken, head))
    if (cursor.haltedReason !== null) {
      held = undefined
      state = { ...state, following: false, height: cursor.height }
      return
    }
    await renewStuck(cursor)
    watching.begin(async () => deps.watch?.(cursor.finalizedHeight, stopping.signal))
    const nowMilliseconds = clock.nowMilliseconds()
    state = {
      ...state,
      following: true,
      height: cursor.height,
      lastRoundMilliseconds: nowMilliseconds,
      readAtMilliseconds: nowMilliseconds,
    }
  }

  /** Closes what has become final, unless that has just been done. */
  async function closeFinal(read: Cursor): Promise<Cursor> {
    if (!closing.isOver()) return read
    const cursor = moved(
      await closeFinalBlocks(deps, read, await told.toldTwice(read), async (at) =>
        readTo(moved(at), await lookAtHead()),
      ),
    )
    if (cursor.finalizedHeight > read.finalizedHeight) closing.begin()
    return cursor
  }

  /** Either nobody has begun yet, or another instance drives this network. */
  async function begin(head: Head): Promise<void> {
    if (isBegun) return
    const final = await readBelowHead(chain, head, head.finalizedHeight)
    if (final === undefined)
      throw new NodeFailure('no node shows the block it calls final and all above it')
    await store.inTransaction('service', (tx) => beginFollowing(tx, network, final))
    isBegun = true
  }

  /** Keeps the lease while a round takes long; a round that fails lets it run out. */
  async function keepLease(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(leaseMilliseconds / LEASE_RENEWALS, stopping.signal)
      if (held === undefined) continue
      const { fence } = held.cursor
      const now = clock.nowMilliseconds()
      const kept = await store
        .inTransaction('service', (tx) => takeLease(tx, network, instance, leaseMilliseconds))
        .catch((error: unknown) => report(error))
      // Another instance had it meanwhile: what this one knows may be old.
      if (held?.cursor.fence !== fence) continue
      const isOurs = kept?.fence === fence && kept.haltedReason === null
      held = isOurs ? { ...held, renewAt: now + leaseMilliseconds / 2 } : undefined
    }
  }

  /** Nothing is begun beside the rounds any more that only who follows may do. */
  const isOver = () => stopping.signal.aborted || !isLeased()

  /** What a family needs beside following: raised fees and watched nonces, or new lifetimes. */
  async function renewStuck(cursor: Cursor): Promise<void> {
    const { renewal } = chain
    switch (renewal.kind) {
      case 'fee':
        // As many questions as there are lanes, and as many broadcasts: beside the rounds.
        if (cursor.height !== bumpedAt) bumping.begin(() => bump(cursor.height))
        guarding.begin(() => guardLanes(deps, cursor, suspects, heldUp))
        return
      case 'lifetime':
        if (!looks.isOver()) return
        // First, because nobody may answer the other.
        await warnOfFound(deps, warned)
        await readUntold(deps, cursor)
        await readUntoldBuilds(deps, cursor)
        await readUnreadDeposits(deps, cursor)
        await rebuildExpired(deps, renewal, cursor, heard, isOver)
        looks.begin()
        return
      default:
        renewal satisfies never
    }
  }

  async function bump(height: bigint): Promise<void> {
    const isTimeAlone = await bumpStuck(deps, waiting, height, isOver)
    if (!isOver() && !isTimeAlone) bumpedAt = height
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      pause = new AbortController()
      const beganAt = clock.nowMilliseconds()
      try {
        await round()
        failures = 0
      } catch (error) {
        held = undefined
        isBegun = false
        failures += 1
        report(error)
      }
      if (stopping.signal.aborted) break
      const doublings = Math.min(failures, BACK_OFF_DOUBLINGS_MAX)
      const backOff = Math.min(pace.evenMilliseconds * 2 ** doublings, BACK_OFF_MILLISECONDS_MAX)
      const took = Math.max(clock.nowMilliseconds() - beganAt, 0)
      isPausing = true
      await clock.sleep(
        failures === 0 ? pace.pause(took) : backOff,
        AbortSignal.any([stopping.signal, pause.signal]),
      )
      isPausing = false
    }
    await store.inTransaction('service', (tx) => releaseLease(tx, network, instance)).catch(report)
  }

  /** Rounds that are dropped again and again are no failure each, but together nobody follows. */
  function isStale(): boolean {
    const last = state.lastRoundMilliseconds ?? 0
    return (
      clock.nowMilliseconds() - last >
      Math.max(blockTimeMilliseconds * STALE_BLOCKS, STALE_MILLISECONDS_MIN)
    )
  }

  function report(error: unknown): void {
    if (error instanceof LeaseLost || error instanceof ChainMoved) {
      log.info({ network, reason: error }, 'round dropped')
      return
    }
    state = { ...state, following: false }
    const expected =
      error instanceof NodeFailure ||
      error instanceof StoreUnavailable ||
      error instanceof CommitUnknown
    const facts = { network, failures }
    if (expected) log.warn({ ...facts, reason: error }, 'round failed, nothing was decided')
    else log.error({ ...facts, err: error }, 'round failed')
  }

  const running = Promise.all([run(), keepLease()])
  return {
    state: () => ({ ...state, following: state.following && !isStale() }),
    wake: () => pause.abort(),
    expect: () => {
      // Who does not follow has nothing of a block.
      if (held === undefined || isExpecting || failures > 0 || !pace.expect()) return
      isExpecting = true
      const seen = told.last()
      void clock.sleep(pace.dueMilliseconds, stopping.signal).then(() => {
        isExpecting = false
        // Not during a round, which has its look, nor when the block has come: then the next one is not due.
        if (isPausing && told.last() === seen) pause.abort()
      })
    },
    stop: async () => {
      stopping.abort()
      await running
      await Promise.all([resending, bumping, guarding, watching].map((each) => each.ended()))
    },
  }
}

const WATCH_PAUSE_MILLISECONDS = 1_000
const LEASE_BLOCKS = 10
const STALE_BLOCKS = 10
const STALE_MILLISECONDS_MIN = 15_000
const LEASE_MILLISECONDS_MIN = 1_000
const LEASE_RENEWALS = 3
const PAUSE_MILLISECONDS_MAX = 2_000
const RESEND_MILLISECONDS_MIN = 1_000
/** Between two looks for places that hold their lane up, where blocks come quicker than that: nobody's fee is raised within less. */
const BUMP_PAUSE_MILLISECONDS = 400
const BACK_OFF_DOUBLINGS_MAX = 6
const BACK_OFF_MILLISECONDS_MAX = 5_000
