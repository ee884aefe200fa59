import type { Clock } from '../../kernel/clock.ts'
import type { CallEnd } from './transport.ts'

/** Which nodes have said nothing for so long that nobody waits for their word any more. */
export interface LongSilence {
  /** A call to a node has ended. */
  noted(end: Pick<CallEnd, 'node' | 'end'>): void
  isSilent(node: number): boolean
}

export interface LongSilenceOptions {
  /** How many nodes there are. */
  readonly count: number
  readonly clock: Clock
  readonly limits: {
    /** How long a node has to say nothing. */
    readonly nodeSilentSeconds: number
    /** How much of it lies between two questions at most; longer than any node is left alone. */
    readonly nodeSilentGapSecondsMax: number
  }
  /** Told when a node has become silent, and when it speaks again. */
  readonly onChange: (node: number, isSilent: boolean) => void
}

interface Entry {
  silentMilliseconds: number
  isSilent: boolean
  /** When it was last asked. */
  askedAtMilliseconds: number
  /** Whether another node has said something since. */
  otherSpoke: boolean
}

/**
 * Adds up how long each node has given no result, to whatever question. An error is no result, whichever: one that answers HTTP 403 or 429 to
 * everything tells as little of its chain as one that is unplugged. One result ends it. Counted are the stretches between two questions that were left
 * open, each up to a bound, and only where another node answered meanwhile: so neither a clock that is set, nor a machine that slept, nor a network of
 * ours that was down makes a node silent, and never are all of them. Begins with nothing when the process starts.
 */
export function openLongSilence({
  count,
  clock,
  limits,
  onChange,
}: LongSilenceOptions): LongSilence {
  const entries = Array.from({ length: count }, (): Entry => ({
    silentMilliseconds: 0,
    isSilent: false,
    askedAtMilliseconds: clock.nowMilliseconds(),
    otherSpoke: false,
  }))
  const silentMilliseconds = limits.nodeSilentSeconds * 1000
  const gapMilliseconds = limits.nodeSilentGapSecondsMax * 1000

  function spoke(entry: Entry, node: number): void {
    for (const other of entries) if (other !== entry) other.otherSpoke = true
    const wasSilent = entry.isSilent
    entry.silentMilliseconds = 0
    entry.isSilent = false
    if (wasSilent) onChange(node, false)
  }

  return {
    noted: ({ node, end }) => {
      const entry = entries[node]
      if (entry === undefined) throw new RangeError('there is no such node')
      const now = clock.nowMilliseconds()
      const gap = now - entry.askedAtMilliseconds
      entry.askedAtMilliseconds = now
      if (end === 'result') {
        spoke(entry, node)
        return
      }
      if (!entry.otherSpoke) return
      entry.otherSpoke = false
      entry.silentMilliseconds += Math.min(Math.max(gap, 0), gapMilliseconds)
      if (entry.isSilent || entry.silentMilliseconds < silentMilliseconds) return
      entry.isSilent = true
      onChange(node, true)
    },
    isSilent: (node) => entries[node]?.isSilent === true,
  }
}
