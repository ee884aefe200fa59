import type { Clock } from '../../kernel/clock.ts'

/** Which nodes answer and have not moved for long, while another one went on. */
export interface StandingStill {
  /** What the nodes that answered a look named as their heights, all of them asked at one moment. */
  seen(heights: ReadonlyMap<number, bigint>): void
  /** The height at which a node has stood for so long; undefined for one that has not. */
  standsAt(node: number): bigint | undefined
  /** Whether a node has been seen to move within what counts between two looks. */
  goesOn(node: number): boolean
}

export interface StandingStillOptions {
  /** How many nodes there are. */
  readonly count: number
  readonly clock: Clock
  readonly limits: {
    /** How long a node has to stand. */
    readonly nodeSilentSeconds: number
    /** How much of it lies between two looks at most; longer than any node is left alone. */
    readonly nodeSilentGapSecondsMax: number
    /** How many blocks another one has to have gone on by meanwhile. */
    readonly nodeStillBlocksMin: number
  }
  /** Told when a node has come to stand still, and when it moves again. */
  readonly onChange: (node: number, isStill: boolean) => void
}

interface Entry {
  /** What it named last; undefined before the first time. */
  height: bigint | undefined
  atMilliseconds: number
  /** When it was last seen to name a greater height than the time before. */
  movedAtMilliseconds: number
  stillMilliseconds: number
  isStill: boolean
  /** By how many blocks each node has gone on since this one was last seen, and in all that is counted of its standing. */
  newly: bigint[]
  passed: bigint[]
}

/**
 * Adds up how long each node has named no greater height than the time before. It is held against itself, never against the height of another: one that
 * names a height of the far future takes no say from those that go on, and is soon the one that stands. What counts is the time between two of its looks, each
 * up to a bound, and only where another node went on meanwhile: so neither a clock that is set, nor a machine that slept, nor a chain that makes no
 * blocks makes a node stand still, and never do all of them. One step upwards ends it. Begins with nothing when the process starts.
 */
export function openStandingStill({
  count,
  clock,
  limits,
  onChange,
}: StandingStillOptions): StandingStill {
  const nobody = (): bigint[] => Array.from({ length: count }, () => 0n)
  const entries = Array.from({ length: count }, (): Entry => ({
    ...{ height: undefined, atMilliseconds: 0, movedAtMilliseconds: Number.NEGATIVE_INFINITY },
    ...{ stillMilliseconds: 0, isStill: false },
    ...{ newly: nobody(), passed: nobody() },
  }))
  const stillMilliseconds = limits.nodeSilentSeconds * 1000
  const gapMilliseconds = limits.nodeSilentGapSecondsMax * 1000
  const blocksMin = BigInt(limits.nodeStillBlocksMin)

  function moved(entry: Entry, node: number): void {
    const wasStill = entry.isStill
    Object.assign(entry, { stillMilliseconds: 0, isStill: false })
    Object.assign(entry, { newly: nobody(), passed: nobody() })
    if (wasStill) onChange(node, false)
  }

  function stood(entry: Entry, node: number, gap: number): void {
    if (entry.newly.every((blocks) => blocks === 0n)) return
    entry.passed = entry.passed.map((blocks, other) => blocks + (entry.newly[other] ?? 0n))
    entry.newly = nobody()
    entry.stillMilliseconds += Math.min(Math.max(gap, 0), gapMilliseconds)
    if (entry.isStill || entry.stillMilliseconds < stillMilliseconds) return
    if (!entry.passed.some((blocks) => blocks >= blocksMin)) return
    entry.isStill = true
    onChange(node, true)
  }

  return {
    seen: (heights) => {
      const now = clock.nowMilliseconds()
      const steps = [...heights].map(([node, height]) => {
        const entry = entries[node]
        if (entry === undefined) throw new RangeError('there is no such node')
        const before = entry.height
        const gap = now - entry.atMilliseconds
        Object.assign(entry, { height, atMilliseconds: now })
        return { entry, node, gap, step: before === undefined ? undefined : height - before }
      })
      // All of them first, so that nobody stands by the order of the list.
      for (const { node, step = 0n } of steps) {
        if (step <= 0n) continue
        for (const other of entries) other.newly[node] = (other.newly[node] ?? 0n) + step
      }
      for (const { entry, node, gap, step } of steps) {
        if (step !== undefined && step > 0n) entry.movedAtMilliseconds = now
        if (step === undefined || step > 0n) moved(entry, node)
        else stood(entry, node, gap)
      }
    },
    standsAt: (node) => {
      const entry = entries[node]
      return entry?.isStill === true ? entry.height : undefined
    },
    goesOn: (node) => {
      const since = clock.nowMilliseconds() - (entries[node]?.movedAtMilliseconds ?? -Infinity)
      return since >= 0 && since <= gapMilliseconds
    },
  }
}
