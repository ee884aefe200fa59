import { limits } from '../../kernel/limits.ts'
import { openRecent } from '../../kernel/recent.ts'

/** Blocks that are asked for together. */
export interface BlockRange {
  readonly from: bigint
  /** Null for wherever the chain ends now. */
  readonly to: bigint | null
}

/** The parts of one look. */
export interface LogLook {
  /** The newest first. */
  readonly newest: readonly BlockRange[]
  /** Of those below as many: the oldest in the first look, and in each later one the next of them, round and round. */
  readonly others: readonly BlockRange[]
  /** Whether there was an earlier look, which began with the newest. */
  readonly isLater: boolean
  /** Told each of the others that was read: the next look goes on behind it. */
  looked(range: BlockRange): void
}

/**
 * Where looks for one thing left off. A look asks for so many parts of the chain at most, which on a chain of 200 ms are some two hours at its two ends: what was
 * done in between, while nobody looked, is found by a later look. A restart begins with the oldest again.
 */
export interface LogLooks {
  look(sought: string, sinceHeight: bigint, head: bigint): LogLook
}

/** Half of what one look asks for. */
const PARTS = BigInt(limits.logReadsMax / 2)
const SIZE = BigInt(limits.logBlocksMax)

export function openLogLooks(): LogLooks {
  const nexts = openRecent<bigint>(limits.logLooksKeptMax)
  return {
    look: (sought, sinceHeight, head) => {
      // A height, since the one that is looked from may go on with the chain.
      const next = nexts.get(sought)
      const parts = head < sinceHeight ? 1n : (head - sinceHeight) / SIZE + 1n
      const below = parts > PARTS ? parts - PARTS : 0n
      if (next === undefined && below > 0n) nexts.set(sought, sinceHeight)
      const known = next === undefined || next < sinceHeight ? 0n : (next - sinceHeight) / SIZE
      const first = known >= below ? 0n : known
      const end = first + PARTS < below ? first + PARTS : below
      const rangeOf = (part: bigint): BlockRange => {
        const from = sinceHeight + part * SIZE
        return { from, to: from + SIZE > head ? null : from + SIZE - 1n }
      }
      return {
        newest: partsOf(below, parts).toReversed().map(rangeOf),
        others: partsOf(first, end).map(rangeOf),
        isLater: next !== undefined,
        looked: ({ from }) => nexts.set(sought, from + SIZE),
      }
    },
  }
}

function partsOf(first: bigint, end: bigint): readonly bigint[] {
  return Array.from({ length: Number(end - first) }, (_, index) => first + BigInt(index))
}
