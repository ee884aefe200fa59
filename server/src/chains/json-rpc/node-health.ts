import type { Clock } from '../../kernel/clock.ts'
import type { NodeState } from '../node-state.ts'

/** Which of a network's nodes may be read. */
export interface NodeHealth {
  /**
   * The nodes to read from, by their place from 0: those that do well in the order of the configuration, then those that are aside,
   * the one that may come back first. None that is behind, as long as another is left.
   */
  order(): readonly number[]
  /** A request to it failed, or another node did what it could not. */
  failed(node: number, reason: string): void
  /** It answered a request, in this time. */
  answered(node: number, milliseconds: number): void
  /** Whom to ask for their heights now, none while the last look is young. */
  dueForLook(): readonly number[]
  /** What the nodes that answered a look named, all asked at the same moment. */
  seen(heights: ReadonlyMap<number, bigint>): void
  states(): readonly NodeState[]
}

export interface HealthLimits {
  /** How long a node that failed is left alone, and the most after it failed again and again. */
  readonly nodeAsideSeconds: number
  readonly nodeAsideSecondsMax: number
  /** A node whose answers take longer, so many times in a row, is put aside. */
  readonly nodeSlowMilliseconds: number
  readonly nodeSlowAnswersMax: number
  /** How often the nodes' heights are compared. */
  readonly nodeLookSeconds: number
  /** How long the highest height is held against nodes that name a lower one. */
  readonly nodeHeightSeconds: number
}

export interface HealthOptions {
  /** The nodes, in words that may be printed. */
  readonly hosts: readonly string[]
  readonly clock: Clock
  readonly limits: HealthLimits
  /** Blocks that a node may be below the highest of the others. */
  readonly behindBlocksMax: bigint
  /** Told of each change of a state. */
  readonly onChange: (state: NodeState, seconds: number) => void
}

interface Entry {
  state: NodeState['state']
  reason: string | null
  height: bigint | null
  /** Not asked before. */
  asideUntilMilliseconds: number
  /** Times it was put aside without having answered since. */
  strikes: number
  slowAnswers: number
}

/** Keeps how the nodes do. A lone node is never out of use: there is nobody else to ask. */
export function openNodeHealth(options: HealthOptions): NodeHealth {
  const { hosts, clock, limits, behindBlocksMax } = options
  const now = () => clock.nowMilliseconds()
  const entries = hosts.map<Entry>(() => ({
    state: 'ok',
    reason: null,
    height: null,
    asideUntilMilliseconds: 0,
    strikes: 0,
    slowAnswers: 0,
  }))
  let lookedAtMilliseconds = Number.NEGATIVE_INFINITY
  let highest: { height: bigint; atMilliseconds: number } | undefined

  const entryOf = (node: number): Entry => {
    const entry = entries[node]
    if (entry === undefined) throw new RangeError('there is no such node')
    return entry
  }
  const stateOf = (entry: Entry, node: number): NodeState => ({
    node: node + 1,
    host: hosts[node] ?? 'unknown',
    state: entry.state,
    reason: entry.reason,
    height: entry.height,
  })

  function change(node: number, state: Entry['state'], reason: string | null, seconds = 0): void {
    const entry = entryOf(node)
    const isNew = entry.state !== state
    Object.assign(entry, { state, reason })
    if (isNew) options.onChange(stateOf(entry, node), seconds)
  }

  function putAside(node: number, reason: string): void {
    const entry = entryOf(node)
    const seconds = Math.min(
      limits.nodeAsideSeconds * 2 ** entry.strikes,
      limits.nodeAsideSecondsMax,
    )
    // Requests that were under way together fail together: that is one failure.
    if (entry.state !== 'aside' || now() >= entry.asideUntilMilliseconds) {
      entry.strikes += 1
      entry.asideUntilMilliseconds = now() + seconds * 1000
    }
    change(node, 'aside', reason, seconds)
  }

  return {
    order: () => {
      const nodes = entries.map((entry, node) => ({ entry, node }))
      const well = nodes.filter(({ entry }) => entry.state === 'ok')
      const aside = nodes
        .filter(({ entry }) => entry.state === 'aside')
        .sort((a, b) => a.entry.asideUntilMilliseconds - b.entry.asideUntilMilliseconds)
      const usable = [...well, ...aside]
      return (usable.length > 0 ? usable : nodes).map(({ node }) => node)
    },
    failed: (node, reason) => putAside(node, reason),
    answered: (node, milliseconds) => {
      const entry = entryOf(node)
      const isSlow = entries.length > 1 && milliseconds > limits.nodeSlowMilliseconds
      entry.slowAnswers = isSlow ? entry.slowAnswers + 1 : 0
      if (entry.slowAnswers >= limits.nodeSlowAnswersMax) {
        entry.slowAnswers = 0
        putAside(node, `its answers take longer than ${limits.nodeSlowMilliseconds} ms`)
        return
      }
      if (isSlow || entry.state !== 'aside') return
      // An answer to what it was asked before it failed brings it back only when nobody else is left.
      const isOver = now() >= entry.asideUntilMilliseconds
      if (!isOver && entries.some(({ state }) => state === 'ok')) return
      if (isOver) entry.strikes = 0
      change(node, 'ok', null)
    },
    dueForLook: () => {
      if (entries.length < 2) return []
      if (now() - lookedAtMilliseconds < limits.nodeLookSeconds * 1000) return []
      lookedAtMilliseconds = now()
      return entries.flatMap(({ state, asideUntilMilliseconds }, node) =>
        state === 'aside' && now() < asideUntilMilliseconds ? [] : [node],
      )
    },
    seen: (heights) => {
      for (const height of heights.values()) {
        const isOld =
          highest === undefined || now() - highest.atMilliseconds > limits.nodeHeightSeconds * 1000
        if (isOld || height >= (highest?.height ?? 0n)) {
          highest = { height, atMilliseconds: now() }
        }
      }
      for (const [node, height] of heights) {
        const entry = entryOf(node)
        entry.height = height
        const behind = (highest?.height ?? height) - height
        if (behind > behindBlocksMax) {
          change(node, 'behind', `its height is ${height}, ${behind} blocks below another node's`)
        } else if (entry.state === 'behind') change(node, 'ok', null)
      }
    },
    states: () => entries.map(stateOf),
  }
}
