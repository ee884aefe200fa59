import type { Block, Head } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'

/** How the time of one chain stands to this machine's clock, read from what is looked at anyway. */
export interface ChainClock {
  /** A look at the head. */
  looked(head: Pick<Head, 'hash' | 'block'>): void
  /** A block that was read; it counts where it is the newest head's, which then did not show it. */
  read(block: Block): void
  /**
   * How far the newest block that could be judged was ahead of the clock when it came, less than 0: behind; null before the first. A block's own way
   * takes some seconds.
   */
  aheadMilliseconds(): number | null
}

/**
 * A newest block that is older than the clock says nothing by itself, since a chain may stand still: it has to have come between two looks. One from
 * later than now is certain whenever it came. A difference above `limits.chainClockOffSecondsMax` is logged, except of a sandbox, whose time is its own.
 */
export function openChainClock(
  { network, sandbox }: Pick<NetworkConfig, 'network' | 'sandbox'>,
  { clock, log }: { readonly clock: Pick<Clock, 'nowMilliseconds'>; readonly log: Log },
): ChainClock {
  let newest:
    { readonly hash: string; readonly seenAt: number; readonly isFresh: boolean } | undefined
  let lookedAt: number | undefined
  let judged: string | undefined
  let ahead: number | null = null
  let toldAt: number | undefined

  function read({ hash, timeMilliseconds }: Block): void {
    if (newest?.hash !== hash || judged === hash) return
    const difference = timeMilliseconds - newest.seenAt
    if (!newest.isFresh && difference <= 0) return
    judged = hash
    ahead = difference
    if (!sandbox && isClockOff(difference)) tell(difference)
  }

  function tell(difference: number): void {
    const now = clock.nowMilliseconds()
    const passed = now - (toldAt ?? -Infinity)
    // Less than nothing: the clock was set back, as it should be.
    if (passed >= 0 && passed < limits.chainClockToldSeconds * 1000) return
    toldAt = now
    const seconds = Math.round(Math.abs(difference) / 1000)
    const what =
      difference > 0
        ? 'this machine’s clock is behind the chain: set it'
        : 'new blocks are old when they come: this machine’s clock is ahead, or the first node is behind its chain'
    log.warn({ network, seconds }, what)
  }

  return {
    looked: ({ hash, block }) => {
      const now = clock.nowMilliseconds()
      const passed = lookedAt === undefined ? Infinity : now - lookedAt
      lookedAt = now
      if (newest?.hash !== hash) {
        const isFresh = passed >= 0 && passed <= limits.chainClockLookSecondsMax * 1000
        newest = { hash, seenAt: now, isFresh }
      }
      if (block !== undefined) read(block)
    },
    read,
    aheadMilliseconds: () => ahead,
  }
}

/** Whether a difference between a chain's time and the clock is more than the way of a block and honest block times make. */
export function isClockOff(aheadMilliseconds: number): boolean {
  return Math.abs(aheadMilliseconds) > limits.chainClockOffSecondsMax * 1000
}
