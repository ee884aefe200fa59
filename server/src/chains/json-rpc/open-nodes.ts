import { limits } from '../../kernel/limits.ts'
import type { ConnectOptions } from '../connect-options.ts'
import type { NodeState } from '../node-state.ts'
import { openEndpoint } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { NodeCall } from './messages.ts'
import { openNodeHealth } from './node-health.ts'
import type { NodeHealth } from './node-health.ts'
import { shownHost } from './node-url.ts'
import { postText } from './post-text.ts'
import { inSmallerBatches } from './smaller-batches.ts'
import { openTransport } from './transport.ts'
import type { Transport } from './transport.ts'

/** What a family knows of its nodes. */
export interface NodeKind {
  /** What stands before every request to a node: checks that it is the right one and up to date. */
  guard(endpoint: Endpoint): Endpoint
  /** How a node is asked for its height. */
  readonly height: { readonly call: NodeCall; readonly parse: (result: unknown) => bigint }
  /** Told what the nodes that answered a look named as their heights. Nobody looks at a lone node. */
  readonly onHeights?: (heights: ReadonlyMap<number, bigint>) => void
}

/** Opens the configured nodes of a network. Nothing is asked before the first use. */
export function openNodes(
  { config, log, clock, onCall = () => undefined, callSeconds, post = postText }: ConnectOptions,
  { guard, height, onHeights = () => undefined }: NodeKind,
): { readonly transport: Transport; readonly nodes: () => readonly NodeState[] } {
  const { network, rpcUrls, blockTimeMilliseconds } = config
  const patience = rpcUrls.length > 1 ? limits.nodeCallWithOthersSeconds : limits.nodeCallSeconds
  const endpoints = rpcUrls.map((url, index) => {
    const endpoint = openEndpoint({
      url,
      name: `node ${index + 1} of ${network}`,
      clock,
      callSeconds: callSeconds ?? patience,
      responseBytesMax: limits.nodeResponseBytesMax,
      post,
    })
    const facts = { network, node: String(index + 1), host: shownHost(url) }
    // Before the guard, so that each part has its own look at what the machine that answers it is.
    return inSmallerBatches(guard(endpoint), clock, (count) =>
      log.warn({ ...facts, count }, 'a node takes few calls in one request: it is asked in parts'),
    )
  })
  const inTime = Math.ceil((limits.nodeBehindSecondsMax * 1000) / blockTimeMilliseconds)
  const kept = openNodeHealth({
    hosts: rpcUrls.map(shownHost),
    clock,
    limits,
    behindBlocksMax: BigInt(Math.max(limits.nodeBehindBlocksMax, inTime)),
    onChange: ({ node, host, state, reason }, seconds) => {
      const facts = { network, node: String(node), host }
      if (state === 'ok') log.info(facts, 'a node is read again')
      else if (state === 'behind')
        log.warn({ ...facts, reason }, 'a node is behind: it is not read')
      else log.warn({ ...facts, reason, seconds }, 'a node is put aside')
    },
  })
  const health: NodeHealth = {
    ...kept,
    seen: (heights) => {
      kept.seen(heights)
      onHeights(heights)
    },
  }
  const transport = openTransport({ endpoints, onCall, clock, health, height, limits })
  return { transport, nodes: health.states }
}
