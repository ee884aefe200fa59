import { limits } from '../../kernel/limits.ts'
import type { ConnectOptions } from '../connect-options.ts'
import type { NodeState } from '../node-state.ts'
import { openLongSilence } from './long-silence.ts'
import { shownHost } from './node-url.ts'
import type { CallEnd } from './transport.ts'

/** The nodes of a network without whose word transactions are called dead. */
export interface SilentNodes {
  /** To be told of every call as it ends; hands it on. */
  readonly onCall: (end: CallEnd) => void
  /** Whether the node at this place, from 0, has no say. */
  readonly hasNoSay: (node: number) => boolean
  /** The states, with the reason why a node that is silent has no say. */
  readonly shown: (states: readonly NodeState[]) => readonly NodeState[]
}

const NO_SAY = `it has said nothing for ${limits.nodeSilentSeconds / 60} minutes, and expired transactions do not wait for its word`

/** Watches over what each node of a network says, and logs it when one has no say any more, and when it has one again. */
export function openSilentNodes({
  config: { network, rpcUrls },
  log,
  clock,
  onCall = () => undefined,
}: ConnectOptions): SilentNodes {
  const hosts = rpcUrls.map(shownHost)
  const silence = openLongSilence({
    count: rpcUrls.length,
    clock,
    limits,
    onChange: (node, isSilent) => {
      const facts = { network, node: String(node + 1), host: hosts[node] ?? 'unknown' }
      if (isSilent) {
        const seconds = limits.nodeSilentSeconds
        log.warn({ ...facts, seconds }, 'expired transactions do not wait for a silent node')
      } else log.info(facts, 'expired transactions wait for the word of a node again')
    },
  })
  return {
    onCall: (end) => {
      silence.noted(end)
      onCall(end)
    },
    hasNoSay: silence.isSilent,
    shown: (states) =>
      states.map((state) => {
        const { node, reason } = state
        if (!silence.isSilent(node - 1)) return state
        return { ...state, reason: reason === null ? NO_SAY : `${reason}; ${NO_SAY}` }
      }),
  }
}
