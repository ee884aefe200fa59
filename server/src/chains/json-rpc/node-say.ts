import { limits } from '../../kernel/limits.ts'
import type { ConnectOptions } from '../connect-options.ts'
import type { NodeState } from '../node-state.ts'
import { openLongSilence } from './long-silence.ts'
import { shownHost } from './node-url.ts'
import { openStandingStill } from './standing-still.ts'
import type { CallEnd } from './transport.ts'

/** Without the word of which nodes of a network transactions are called dead. */
export interface NodeSay {
  /** Whether the node at this place, from 0, has said nothing for so long that it has no say. */
  readonly isSilent: (node: number) => boolean
  /**
   * The height at which the node at this place has stood for so long that it has no say; undefined for any other, and for all where no node is left
   * that speaks and moves.
   */
  readonly standsAt: (node: number) => bigint | undefined
}

/** Watches what the nodes say, and who has no say any more. */
export interface NodeSayWatch extends NodeSay {
  /** To be told of every call as it ends; hands it on. */
  readonly onCall: (end: CallEnd) => void
  /** To be told of every look at the nodes' heights. */
  readonly onHeights: (heights: ReadonlyMap<number, bigint>) => void
  /** The states, with the reason why a node has no say. */
  readonly shown: (states: readonly NodeState[]) => readonly NodeState[]
}

const MINUTES = limits.nodeSilentSeconds / 60
const NO_SAY = 'and expired transactions do not wait for its word'
const SILENT = `it has said nothing for ${MINUTES} minutes, ${NO_SAY}`
const STILL = `it has stood still for ${MINUTES} minutes while another one went on, ${NO_SAY}`

/** Watches over what each node of a network says, and logs it when one has no say any more, and when it has one again. */
export function openNodeSay({
  config: { network, rpcUrls },
  log,
  clock,
  onCall = () => undefined,
}: ConnectOptions): NodeSayWatch {
  const count = rpcUrls.length
  const hosts = rpcUrls.map(shownHost)
  const told = (what: string) => (node: number, hasNone: boolean) => {
    const facts = { network, node: String(node + 1), host: hosts[node] ?? 'unknown' }
    if (hasNone) {
      const seconds = limits.nodeSilentSeconds
      log.warn({ ...facts, seconds }, `expired transactions do not wait for a ${what}`)
    } else log.info(facts, 'expired transactions wait for the word of a node again')
  }
  const silence = openLongSilence({ count, clock, limits, onChange: told('silent node') })
  const still = openStandingStill({
    ...{ count, clock, limits },
    onChange: told('node that stands still'),
  })
  const isAlong = (node: number) => !silence.isSilent(node) && still.goesOn(node)
  const standsAt = (node: number): bigint | undefined =>
    // Who had gone on may be gone by now: then the word of those that stand is asked for again.
    rpcUrls.some((_, other) => isAlong(other)) ? still.standsAt(node) : undefined
  const reasonsOf = (node: number): readonly string[] => [
    ...(silence.isSilent(node) ? [SILENT] : []),
    ...(standsAt(node) === undefined ? [] : [STILL]),
  ]
  return {
    onCall: (end) => {
      silence.noted(end)
      onCall(end)
    },
    onHeights: still.seen,
    isSilent: silence.isSilent,
    standsAt,
    shown: (states) =>
      states.map((state) => {
        const { node, reason } = state
        const reasons = [...(reason === null ? [] : [reason]), ...reasonsOf(node - 1)]
        return { ...state, reason: reasons.length === 0 ? null : reasons.join('; ') }
      }),
  }
}
