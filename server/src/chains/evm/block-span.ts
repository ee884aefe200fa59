/** Blocks that may have come since the newest that is known. */
const NEWER_BLOCKS = 2

/**
 * How many blocks there can be at a height. Each block that is asked for is a call that somebody pays for, and a follower asks for a whole
 * round of them once or twice in a block's time, when there is one new block or none.
 */
export interface BlockSpan {
  /** A node has told its head. */
  noteHead(height: bigint): void
  /** A node has shown a block. */
  noteBlock(height: bigint): void
  /** How many of the blocks that are wanted from a height on to ask for, and two at least. */
  likely(fromHeight: bigint, wanted: number): number
}

export function openBlockSpan(): BlockSpan {
  let newest: bigint | undefined
  return {
    noteHead: (height) => {
      newest = height
    },
    noteBlock: (height) => {
      if (newest !== undefined && height > newest) newest = height
    },
    likely: (from, wanted) => {
      if (newest === undefined) return wanted
      const known = newest < from ? 0 : Number(newest - from) + 1
      return Math.min(wanted, known + NEWER_BLOCKS)
    },
  }
}
