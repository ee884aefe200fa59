import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { ConnectOptions } from './connect-options.ts'
import { identityOf as evmIdentity } from './evm/chain-id.ts'
import { checkNode } from './json-rpc/check-node.ts'
import type { Identity, NodeFinding } from './json-rpc/check-node.ts'
import { openEndpoint } from './json-rpc/endpoint.ts'
import { shownHost } from './json-rpc/node-url.ts'
import { postText } from './json-rpc/post-text.ts'
import { identityOf as solanaIdentity } from './solana/chain-id.ts'

/** One configured node, and whether it is what the configuration says. */
export interface NodeReport {
  readonly network: string
  /** Its place in the configuration, from 1. */
  readonly node: number
  /** Which host, without what may be a key. */
  readonly host: string
  readonly finding: NodeFinding
}

/**
 * Asks the nodes of a network, all at once, whether they belong to it. Never throws for a node.
 * @param mayAsk which nodes, by their place from 1; left out, all of them.
 */
export async function inspectNodes({
  config,
  clock,
  callSeconds = limits.nodeCallSeconds,
  post = postText,
  mayAsk = () => true,
}: Pick<ConnectOptions, 'config' | 'clock' | 'callSeconds' | 'post'> & {
  readonly mayAsk?: (node: number) => boolean
}): Promise<readonly NodeReport[]> {
  const identity = identityOf(config)
  const nodes = config.rpcUrls.map((url, index) => ({ url, node: index + 1 }))
  return await Promise.all(
    nodes
      .filter(({ node }) => mayAsk(node))
      .map(async ({ url, node }) => {
        const endpoint = openEndpoint({
          url,
          name: `node ${node}`,
          clock,
          callSeconds,
          responseBytesMax: limits.nodeResponseBytesMax,
          post,
        })
        const finding = await checkNode(endpoint, identity, { isMain: config.testnet === false })
        return { network: config.network, node, host: shownHost(url), finding }
      }),
  )
}

function identityOf(config: NetworkConfig): Identity {
  const { family } = config
  switch (family) {
    case 'evm':
      return evmIdentity(config)
    case 'solana':
      return solanaIdentity(config)
    default:
      return family satisfies never
  }
}
