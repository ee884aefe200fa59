import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'

/** When a network's head is to be looked at again. */
export interface HeadPace {
  /** A look at the head, whether it was the same as before, and whether its block is known to hold nothing. */
  looked(isSame: boolean, isEmpty?: boolean): void
  /**
   * Something was sent. Where the next block is overdue it may be the one that is made for it, as chains do that make blocks on demand: then the
   * head is looked for as often again as when a block has just become due. Gives whether it is, and no more often than some times for one head:
   * a chain that stands still makes no block for whatever is sent.
   */
  expect(): boolean
  /** How long the next look waits behind a round that took so long. */
  pause(tookMilliseconds: number): number
  /** A part of a block's time, for what is looked for often. */
  readonly dueMilliseconds: number
  /** Half of a block's time. */
  readonly evenMilliseconds: number
}

/**
 * Paces the looks at a head: seldom until the next block is due, and then often. A caller who waits for it hears soon, and no more is asked than
 * by an even pace. A block that has not come when it was due is not asked for that often for long. Where blocks come more quickly than within `gather` milliseconds, several are waited for,
 * whatever was sent: how many calls a round takes hardly depends on how many blocks have come.
 */
export function openHeadPace(clock: Clock, blockTimeMilliseconds: number, gather = 0): HeadPace {
  const restMilliseconds = paceOf(Math.max(blockTimeMilliseconds * REST_PART, gather))
  const gathers = gather > blockTimeMilliseconds
  const dueMilliseconds = paceOf(blockTimeMilliseconds * DUE_PART, DUE_PAUSE_MILLISECONDS_MIN)
  const evenMilliseconds = paceOf(blockTimeMilliseconds / 2)
  const stillMilliseconds = paceOf(blockTimeMilliseconds)
  const idleMilliseconds = paceOf(blockTimeMilliseconds, IDLE_PAUSE_MILLISECONDS_MIN)
  let pauseMilliseconds = restMilliseconds
  let stillLooks = 0
  let grownAt = clock.nowMilliseconds()
  let expected = 0

  function paceOfWaiting(): number {
    if (stillLooks > STILL_LOOKS_MAX) return idleMilliseconds
    if (stillLooks > EVEN_LOOKS_MAX) return stillMilliseconds
    return stillLooks > DUE_LOOKS_MAX ? evenMilliseconds : dueMilliseconds
  }

  return {
    dueMilliseconds,
    evenMilliseconds,
    looked: (isSame, isEmpty = false) => {
      // A chain that makes blocks on demand makes an empty one now and then, so that its time goes on: it stands still behind it as before. One
      // that makes blocks again shows another at the next look.
      if (!isSame && isEmpty && stillLooks > STILL_LOOKS_MAX) {
        stillLooks = STILL_LOOKS_MAX
        expected = 0
        return
      }
      stillLooks = isSame ? stillLooks + 1 : 0
      pauseMilliseconds = isSame ? paceOfWaiting() : restMilliseconds
      if (isSame) return
      grownAt = clock.nowMilliseconds()
      expected = 0
    },
    expect: () => {
      const passed = clock.nowMilliseconds() - grownAt
      // Less than nothing: the clock was set back.
      const isOverdue = passed >= blockTimeMilliseconds || passed < 0
      const isGathering = gathers && stillLooks === 0
      if (!isOverdue || isGathering || expected >= EXPECTED_MAX) return false
      expected += 1
      stillLooks = 0
      return true
    },
    pause: (tookMilliseconds) => {
      // From look to look: what a round does with a block is not added to the time until the next one is due. Where a node or the
      // database takes longer than that, it is not asked without a break.
      const isInTime = tookMilliseconds < pauseMilliseconds
      const least = Math.min(PAUSE_MILLISECONDS_MIN, dueMilliseconds)
      return isInTime ? Math.max(pauseMilliseconds - tookMilliseconds, least) : dueMilliseconds
    },
  }
}

/** How long blocks of a network are waited for together. Those of a sandbox are read as they come, and cost nobody anything. */
export function gatherMilliseconds({
  family,
  sandbox,
}: Pick<NetworkConfig, 'family' | 'sandbox'>): number {
  return family === 'evm' && !sandbox ? limits.followGatherMilliseconds : 0
}

/** Parts of a block's time: between a new block and the next look, and between looks from then on. */
const REST_PART = 0.875
const DUE_PART = 0.125
const DUE_LOOKS_MAX = 4
/** A chain that stands still for long, as an idle sandbox does, is asked once per block's time. */
const EVEN_LOOKS_MAX = 60
/** And where it makes blocks as quickly as the sandbox does, no more than a few times a second: what is sent from here has it looked at sooner. */
const STILL_LOOKS_MAX = 200
const IDLE_PAUSE_MILLISECONDS_MIN = 200
/** So often one head is looked at again for what was sent. */
const EXPECTED_MAX = 8
const PAUSE_MILLISECONDS_MIN = 20
/** For the few looks at a block that is due. */
const DUE_PAUSE_MILLISECONDS_MIN = 5
const PAUSE_MILLISECONDS_MAX = 2_000

function paceOf(milliseconds: number, least = PAUSE_MILLISECONDS_MIN): number {
  return Math.min(Math.max(milliseconds, least), PAUSE_MILLISECONDS_MAX)
}
