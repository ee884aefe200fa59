import { unsettledNetworks, wordsOfUnsettled } from '@florin/server/facilitator/unsettled.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { Store } from '@florin/server/store/postgres.ts'

/** Says at the start on which networks nobody settles payments of x402. Never throws: what cannot be read is said, too. */
export async function sayUnsettled(
  { store, log }: { readonly store: Store; readonly log: Log },
  networks: readonly NetworkConfig[],
): Promise<void> {
  try {
    for (const network of await unsettledNetworks(store, networks)) {
      log.warn({ network, reason: wordsOfUnsettled(network) }, 'no wallet settles')
    }
  } catch (error) {
    log.warn({ reason: error }, 'which wallets settle was not read')
  }
}
