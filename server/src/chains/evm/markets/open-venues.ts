import type { Venue } from '../../venue.ts'
import type { MarketDeps } from './deps.ts'
import { openUniswapV2 } from './uniswap-v2.ts'
import { openUniswapV3 } from './uniswap-v3.ts'

/** The venues that a network's configuration names. */
export function openVenues(deps: MarketDeps): readonly Venue[] {
  return (deps.config.markets ?? []).map((market): Venue => {
    switch (market.venue) {
      case 'uniswap-v2':
        return openUniswapV2(deps, market)
      case 'uniswap-v3':
        return openUniswapV3(deps, market)
      case 'rfq':
      case 'jupiter':
      case 'module':
        throw new Error(`${market.venue} is no venue of an EVM network`)
      default:
        return market satisfies never
    }
  })
}
