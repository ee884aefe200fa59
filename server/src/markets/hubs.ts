import { canonicalAddress } from '@florin/wire/address.ts'
import type { MarketConfig, NetworkConfig } from '../kernel/network-config.ts'

/** The tokens that a price may lead through, as the operator names them for the network's markets. */
export function hubsOf({ markets = [] }: Pick<NetworkConfig, 'markets'>): readonly string[] {
  return [...new Set(markets.flatMap(ofMarket))]
}

function ofMarket(market: MarketConfig): readonly string[] {
  switch (market.venue) {
    case 'uniswap-v2':
    case 'uniswap-v3': {
      const native = market.wrappedNative
      const named = (market.hubs ?? []).filter((hub) => hub !== native)
      return named.map((hub) => canonicalAddress(hub) ?? hub)
    }
    case 'rfq':
    case 'jupiter':
    case 'module':
      return []
    default:
      return market satisfies never
  }
}
