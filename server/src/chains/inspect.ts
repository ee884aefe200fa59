import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { ConnectOptions } from './connect-options.ts'
import { identityOf as evmIdentity } from './evm/chain-id.ts'
import { checkNode } from './json-rpc/check-node.ts'
import type { Identity, NodeFinding } from './json-rpc/check-node.ts'
import { openEndpoint } from './json-rpc/endpoint.ts'
import { shownHost } from './json-rpc/node-url.ts'
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

/** Asks every node of a network, all at once, whether it belongs to it. Never throws for a node. */
export async function inspectNodes({
  config,
  clock,
  callSeconds = limits.nodeCallSeconds,
  fetch: ask = fetch,
}: Pick<ConnectOptions, 'config' | 'clock' | 'callSeconds' | 'fetch'>): Promise<
  readonly NodeReport[]
> {
  const identity = identityOf(config)
  return await Promise.all(
    config.rpcUrls.map(async (url, index) => {
      const node = index + 1
      const endpoint = openEndpoint({
        url,
        name: `node ${node}`,
        clock,
        callSeconds,
        responseBytesMax: limits.nodeResponseBytesMax,
        fetch: ask,
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
