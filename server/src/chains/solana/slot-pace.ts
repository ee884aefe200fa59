import type { Clock } from '../../kernel/clock.ts'

/** How quickly the slots of a network come. */
export interface SlotPace {
  /** The highest slot that nodes have shown, as it is at this moment. */
  note(slot: bigint): void
  /** Milliseconds between two slots, as they came lately; as configured before enough were seen, and never more than that. */
  milliseconds(): number
}

interface Seen {
  readonly slot: bigint
  readonly atMilliseconds: number
}

/** What is measured reaches back so far at least, and twice as far at most. */
const SPAN_MILLISECONDS = 60_000
/** Less than that says nothing: nodes tell heads in jumps. */
const SPAN_MILLISECONDS_MIN = 15_000
/** More slots at once are no pace: a node that was behind was asked before, or the service stood still. */
const QUICKEST_PACE = 4
const JUMP_SLOTS_MAX = 100

/** A pace that is so much quicker than configured, as a part of it, is told. */
const TOLD_BELOW = 0.75

/**
 * Measures the pace, because a cluster changes it while nobody here changes a file: Solana went from 400 ms to 200 ms in steps of one epoch (SIMD-0525). A
 * chain that stood still is never taken for slower than configured: it may go on as quickly as ever. `onQuicker` is told once, since all else here is
 * reckoned by the file.
 */
export function openSlotPace(
  clock: Clock,
  configuredMilliseconds: number,
  onQuicker: (milliseconds: number) => void = () => undefined,
): SlotPace {
  let isTold = false
  let from: Seen | undefined
  let middle: Seen | undefined
  let newest: Seen | undefined

  function follows({ slot, atMilliseconds }: Seen, before: Seen | undefined): boolean {
    if (before === undefined) return false
    const elapsed = atMilliseconds - before.atMilliseconds
    const most = (elapsed / configuredMilliseconds) * QUICKEST_PACE + JUMP_SLOTS_MAX
    const slots = slot - before.slot
    return elapsed >= 0 && slots >= 0n && Number(slots) <= most
  }

  function milliseconds(): number {
    if (from === undefined || newest === undefined) return configuredMilliseconds
    const elapsed = newest.atMilliseconds - from.atMilliseconds
    const slots = Number(newest.slot - from.slot)
    if (elapsed < SPAN_MILLISECONDS_MIN || slots === 0) return configuredMilliseconds
    return Math.min(elapsed / slots, configuredMilliseconds)
  }

  return {
    note: (slot) => {
      const seen = { slot, atMilliseconds: clock.nowMilliseconds() }
      if (from === undefined || middle === undefined || !follows(seen, newest)) {
        from = middle = newest = seen
        return
      }
      newest = seen
      const now = milliseconds()
      if (!isTold && now < configuredMilliseconds * TOLD_BELOW) {
        isTold = true
        onQuicker(now)
      }
      if (seen.atMilliseconds - middle.atMilliseconds < SPAN_MILLISECONDS) return
      from = middle
      middle = seen
    },
    milliseconds,
  }
}
