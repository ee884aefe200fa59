import type { Network } from '@florin/sdk'
import { readNetworkName } from '@florin/wire/network-alias.ts'
import { UsageError } from '../usage-error.ts'
import { visible } from './visible.ts'

/**
 * Refuses what a shop could not sell for, before it opens: its first visitor would be the one who hears of it. Native currency moves by no
 * x402 payment. @throws UsageError that names what there is.
 */
export function checkSellable(
  networks: readonly Network[],
  { network, asset }: { readonly network: string; readonly asset: string },
): void {
  const id = readNetworkName(network)
  const found = networks.find((each) => each.network === id)
  if (found === undefined) {
    throw new UsageError(
      `the service has no network "${network}". --network is one of ${listed(networks.map((each) => each.network))}`,
    )
  }
  const tokens = found.assets.filter((each) => each.asset !== 'native')
  const isAsked = (each: (typeof tokens)[number]) =>
    each.symbol === asset || each.asset.toLowerCase() === asset.toLowerCase()
  if (tokens.some(isAsked)) return
  throw new UsageError(
    `nothing can be sold for "${asset}" on ${found.network}. --asset is one of ${listed(tokens.map(({ symbol }) => symbol))}`,
  )
}

/** What a service says of itself, on one line. */
function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : visible(names.join(', '))
}
