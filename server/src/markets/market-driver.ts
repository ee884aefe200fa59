import { NodeFailure } from '../chains/chain.ts'
import type { Block, Head } from '../chains/chain.ts'
import { hasLeft } from '../kernel/has-left.ts'
import { limits } from '../kernel/limits.ts'
import { CommitUnknown, StoreUnavailable } from '../store/postgres.ts'
import { forgetMarketEvents } from './event-store.ts'
import { followMarkets } from './follow-markets.ts'
import { MarketsMoved } from './market-deps.ts'
import type { MarketDeps } from './market-deps.ts'
import {
  beginMarkets,
  forgetMarketBlocks,
  MarketLeaseLost,
  releaseMarketLease,
  takeMarketLease,
} from './market-follower-store.ts'
import type { MarketCursor } from './market-follower-store.ts'
import { openSayer } from './say.ts'
import { say } from './store-round.ts'
import { openToldPrices } from './told-prices.ts'
import { knownTokens } from './token-store.ts'
import { forgetReserves } from './trade-store.ts'
import { usdRate } from './usd.ts'

/** What reads one network's markets. */
export interface MarketDriver {
  /** How far they were read by this instance; null while another does, or nobody yet. */
  height(): bigint | null
  /** Whoever follows the network's payments here was told of this head: it is read instead of asking for one. */
  noteHead(head: Head): void
  stop(): Promise<void>
}

/**
 * Reads one network's markets beside whatever follows its payments: a cursor, a lease and a pace of its own. One instance at a time; every
 * failure ends a round and decides nothing.
 */
export function startMarketDriver(
  shared: Omit<MarketDeps, 'told' | 'shown'> & {
    readonly instance: string
    /** Whether anybody has a stream of this instance open, whatever it is told of. */
    readonly isHeard: () => boolean
  },
): MarketDriver {
  const { chain, store, clock, log, instance, isHeard } = shared
  let shownAt = Number.NEGATIVE_INFINITY
  const shown = () => {
    shownAt = clock.nowMilliseconds()
  }
  const newDeps = (): MarketDeps => ({ ...shared, shown, told: openToldPrices() })
  /** What listeners heard of this instance's lease: unknown again when a round failed, since what it told may not be stored. */
  let deps = newDeps()
  const { network, blockTimeMilliseconds } = chain.config
  const stopping = new AbortController()
  let height: bigint | null = null
  let held: { readonly cursor: MarketCursor; readonly renewAt: number } | undefined
  let isBegun = false
  let failures = 0
  let tidyAt = 0
  let noted: { readonly head: Head; readonly until: number } | undefined
  /** Ends a pause early. */
  let pause = new AbortController()

  /** The cursor, under a lease that is renewed now and then; a write without it is refused by its fence. */
  async function hold(): Promise<MarketCursor | undefined> {
    const now = clock.nowMilliseconds()
    if (held !== undefined && hasLeft(held.renewAt, now, RENEW_MILLISECONDS)) return held.cursor
    const cursor = await store.inTransaction('service', (tx) =>
      takeMarketLease(tx, network, instance, limits.leaseSeconds * 1000),
    )
    held = cursor && { cursor, renewAt: now + RENEW_MILLISECONDS }
    return cursor
  }

  /** Asks only where nobody else does. */
  async function lookAtHead(): Promise<Head> {
    if (noted === undefined) return await chain.head()
    const isNew = hasLeft(noted.until, clock.nowMilliseconds(), NOTED_MILLISECONDS)
    return isNew ? noted.head : await chain.head()
  }

  async function round(): Promise<void> {
    const [taken, told] = await Promise.all([hold(), lookAtHead()])
    let head: Omit<Head, 'hash'> = told
    let cursor = taken
    height = cursor?.height ?? null
    if (cursor === undefined) {
      deps = newDeps()
      // Either nobody has begun yet, or another instance reads them.
      const first = isBegun ? undefined : await firstBlock(told.finalizedHeight)
      if (first !== undefined) {
        await store.inTransaction('service', (tx) => beginMarkets(tx, network, first))
        isBegun = true
      }
      return
    }
    // Nothing to read when its newest block is the chain's.
    let isBehind = cursor.blockHash !== told.hash
    while (isBehind && !stopping.signal.aborted) {
      const before = cursor.height
      cursor = await followMarkets(deps, cursor, head)
      held = { cursor, renewAt: held?.renewAt ?? 0 }
      height = cursor.height
      isBehind = cursor.height > before && cursor.height < head.height
      if (!isBehind) break
      // A long way is longer than a lease, and what was the head's block when it began may not be at its end.
      cursor = (await hold()) ?? cursor
      head = { height: told.height, finalizedHeight: told.finalizedHeight }
      await tidy(cursor)
    }
    await tellOverdue(cursor)
    await tidy(cursor)
  }

  /** Below the final block, so that what the chain's markets did shortly before is known; where no node shows that, the final block. */
  async function firstBlock(finalizedHeight: bigint): Promise<Block | undefined> {
    const below = finalizedHeight - BigInt(limits.marketLookBackBlocks)
    const lower = await chain.blocks(below > 0n ? below : 0n, 1).catch((error: unknown) => {
      if (error instanceof NodeFailure) return []
      throw error
    })
    const [first] = lower.length > 0 ? lower : await chain.blocks(finalizedHeight, 1)
    return first
  }

  /** Prices that moved a little, long enough ago. */
  async function tellOverdue(cursor: MarketCursor): Promise<void> {
    const now = clock.nowMilliseconds()
    const prices = deps.told.overdue(now)
    if (prices.length === 0) return
    await store.inTransaction('service', async (tx) => {
      const mints = prices.map(({ mint }) => mint)
      const known = await knownTokens(tx, network, mints)
      const tokens = new Map(known.map((token) => [token.mint, token]))
      const sayer = openSayer({ ...deps, config: chain.config, tokens, nowMilliseconds: now })
      const rate = await usdRate(tx, chain.config)
      await say(
        tx,
        deps,
        prices.map((price) => sayer.price(price, rate, cursor.height)),
      )
    })
  }

  async function tidy(cursor: MarketCursor): Promise<void> {
    const now = clock.nowMilliseconds()
    if (hasLeft(tidyAt, now, TIDY_PAUSE_MILLISECONDS)) return
    tidyAt = now + TIDY_PAUSE_MILLISECONDS
    const removed = await store.inTransaction('service', async (tx) => {
      await forgetMarketEvents(tx, network, now - limits.marketEventSeconds * 1000)
      return Math.max(
        await forgetReserves(tx, network, cursor.finalizedHeight, limits.marketForgetMax),
        await forgetMarketBlocks(tx, cursor, limits.marketForgetMax),
      )
    })
    // More may wait: the next round goes on.
    if (removed >= limits.marketForgetMax) tidyAt = now
  }

  /** Somebody may wait for the next block: one who listens here, or elsewhere to markets where something happens. */
  function isAwaited(): boolean {
    const quietFor = clock.nowMilliseconds() - shownAt
    // Less than nothing: the clock was set back.
    const isBusy = quietFor >= 0 && quietFor < BUSY_MILLISECONDS
    return isBusy || isHeard()
  }

  function pauseMilliseconds(): number {
    const least = isAwaited() ? PAUSE_MILLISECONDS_MIN : QUIET_PAUSE_MILLISECONDS_MIN
    return Math.min(Math.max(blockTimeMilliseconds / 2, least), PAUSE_MILLISECONDS_MAX)
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      pause = new AbortController()
      try {
        await round()
        failures = 0
      } catch (error) {
        failures += 1
        held = undefined
        deps = newDeps()
        report(error)
      }
      if (stopping.signal.aborted) break
      const doublings = Math.min(failures, BACK_OFF_DOUBLINGS_MAX)
      await clock.sleep(
        Math.min(pauseMilliseconds() * 2 ** doublings, PAUSE_MILLISECONDS_MAX),
        // A round that failed is not tried again with every block.
        failures > 0 ? stopping.signal : AbortSignal.any([stopping.signal, pause.signal]),
      )
    }
    await store
      .inTransaction('service', (tx) => releaseMarketLease(tx, network, instance))
      .catch(report)
  }

  function report(error: unknown): void {
    if (error instanceof MarketLeaseLost || error instanceof MarketsMoved) {
      log.info({ network, reason: error }, 'markets were not read')
      return
    }
    const expected =
      error instanceof NodeFailure ||
      error instanceof StoreUnavailable ||
      error instanceof CommitUnknown
    if (expected) log.warn({ network, failures, reason: error }, 'markets were not read')
    else log.error({ network, failures, err: error }, 'markets were not read')
  }

  const running = run()
  return {
    height: () => height,
    noteHead: (head) => {
      const isNews = noted?.head.hash !== head.hash
      noted = { head, until: clock.nowMilliseconds() + NOTED_MILLISECONDS }
      // Where blocks come quicker than that, the shortest pause is kept.
      if (isNews && isAwaited() && pauseMilliseconds() > PAUSE_MILLISECONDS_MIN) pause.abort()
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

const RENEW_MILLISECONDS = (limits.leaseSeconds * 1000) / 3
const PAUSE_MILLISECONDS_MIN = 50
/** Nobody waits for a block of a quick chain whose markets are quiet: its blocks are read a few at a time. */
const QUIET_PAUSE_MILLISECONDS_MIN = 400
/** So long markets are taken for busy after something happened there. */
const BUSY_MILLISECONDS = 60_000
const PAUSE_MILLISECONDS_MAX = 5_000
/** Longer than any pause between two looks of whoever follows the payments; behind it that one is taken for silent. */
const NOTED_MILLISECONDS = 5_000
const TIDY_PAUSE_MILLISECONDS = 10_000
const BACK_OFF_DOUBLINGS_MAX = 6
