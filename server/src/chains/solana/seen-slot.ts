import type { Clock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'

interface Shown {
  readonly slot: bigint
  readonly atMilliseconds: number
}

/** The highest slot that nodes of a network have shown as confirmed. */
export interface SeenSlot {
  /** 0 before the first answer. */
  now(): bigint
  /** What a node says is its newest. */
  noteNewest(slot: bigint): void
  /** A block that a node has shown; older ones say nothing. */
  noteBlock(slot: bigint): void
}

/** Slots may come so much more quickly than configured. */
const QUICKEST_PACE = 2

/**
 * Keeps the highest slot that was shown. One answer alone moves it no further than time allows since it last moved, `slotSlackSeconds` apart: a
 * node that once tells a slot of the far future would make each of the others one that is behind, for ever. What is beyond that counts once the next
 * such answer has moved on from it as a chain does. The first answer of all counts until the next one: that may stand far below.
 */
export function openSeenSlot(clock: Clock, blockTimeMilliseconds: number): SeenSlot {
  const slack = BigInt(Math.ceil((limits.slotSlackSeconds * 1000) / blockTimeMilliseconds))
  let seen: Shown | undefined
  /** An answer that nothing has borne out so far. */
  let doubted: Shown | undefined
  let isFirst = true

  function reachOf({ slot, atMilliseconds }: Shown, nowMilliseconds: number): bigint {
    const elapsed = Math.max(0, nowMilliseconds - atMilliseconds)
    return slot + slack + BigInt(Math.ceil((elapsed / blockTimeMilliseconds) * QUICKEST_PACE))
  }

  function note(slot: bigint, isNewest: boolean): void {
    const atMilliseconds = clock.nowMilliseconds()
    const shown = { slot, atMilliseconds }
    if (seen === undefined) {
      if (isNewest) seen = shown
      return
    }
    if (slot > reachOf(seen, atMilliseconds)) {
      const goesOn =
        doubted !== undefined && slot > doubted.slot && slot <= reachOf(doubted, atMilliseconds)
      if (goesOn) [seen, isFirst, doubted] = [shown, false, undefined]
      else doubted = shown
      return
    }
    const isFarBelow = slot + slack < seen.slot
    if (isNewest) {
      doubted = undefined
      if (isFirst && isFarBelow) {
        seen = shown
        return
      }
      isFirst = false
    }
    if (slot > seen.slot) seen = shown
  }

  return {
    now: () => seen?.slot ?? 0n,
    noteNewest: (slot) => note(slot, true),
    noteBlock: (slot) => note(slot, false),
  }
}
