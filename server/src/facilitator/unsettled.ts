import type { NetworkId } from '@florin/wire/network.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Store } from '../store/postgres.ts'
import { readSettlers } from './settlers.ts'

/**
 * Networks with a token to be paid in by x402 for which no wallet settles, so that `/x402/supported` lists none of them: every payment is answered
 * `network_unavailable` there. Nothing is wrong with that where nobody sells.
 */
export async function unsettledNetworks(
  store: Store,
  networks: readonly NetworkConfig[],
): Promise<readonly NetworkId[]> {
  const families = new Set((await readSettlers(store, networks)).map(({ family }) => family))
  return networks
    .filter(({ assets }) => assets.some(({ asset }) => asset !== 'native'))
    .filter(({ family }) => !families.has(family))
    .map(({ network }) => network)
}

/** What whoever runs it should know of such a network. */
export function wordsOfUnsettled(network: NetworkId): string {
  return `no wallet settles payments of x402 on ${network}, and /x402/supported does not list it. To sell there: florin wallets settle ADDRESS`
}
