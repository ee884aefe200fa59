import type { Config } from '@florin/server/config.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { DatabaseAccess } from './database-file.ts'
import { readNetworksFile } from './up/networks.ts'
import { sandboxNetworks } from './up/sandbox-network.ts'

/** The networks that belong to a database: its sandbox's, else those of FLORIN_NETWORKS, else none. */
export async function networksOf(
  { networksFile }: Config,
  { sandbox }: DatabaseAccess,
): Promise<readonly NetworkConfig[]> {
  if (sandbox !== null) return sandboxNetworks(sandbox)
  return networksFile === null ? [] : await readNetworksFile(networksFile)
}
