import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { Family } from '@florin/wire/network.ts'
import { CommandFailed } from '../usage-error.ts'

/** Refuses a wallet that no network of this command's settings could use, with what to set. @throws CommandFailed */
export function requireNetworkOf(
  family: Family,
  networks: readonly Pick<NetworkConfig, 'family' | 'network'>[],
): void {
  if (networks.some((each) => each.family === family)) return
  throw new CommandFailed(
    networks.length === 0
      ? "no network is configured here. Set FLORIN_NETWORKS to the service's own file."
      : `no ${family} network is configured, only ${networks.map(({ network }) => network).join(', ')}. FLORIN_NETWORKS names the file that lists them.`,
  )
}
