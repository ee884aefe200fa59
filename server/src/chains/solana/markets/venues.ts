import type { Address } from '../../chain.ts'
import type { ConnectOptions } from '../../connect-options.ts'
import type { Venue } from '../../venue.ts'
import { knownAddress } from '../account.ts'
import type { DraftDeps } from '../draft.ts'
import { openJupiterApi } from './jupiter-api.ts'
import { openJupiterVenue } from './jupiter-venue.ts'
import { openMarketService } from './market-service.ts'
import { openMaker } from './rfq-maker.ts'
import { openRfqVenue } from './rfq-venue.ts'
import { openProgramVenue } from './program-venue.ts'
import type { OpenedModule } from '../venue-module.ts'

/** Whoever trades here by its own signature. */
export function makersOf({ markets = [] }: ConnectOptions['config']): ReadonlySet<Address> {
  return new Set(
    markets.flatMap((market) =>
      market.venue === 'rfq' ? market.makers.map(({ address }) => knownAddress(address)) : [],
    ),
  )
}

/** The network's markets as its operator lists them. Throws on a market of another family. */
export function openVenues(
  deps: DraftDeps,
  { config, clock, fetch: ask = fetch }: ConnectOptions,
  modules: readonly OpenedModule[],
): readonly Venue[] {
  return (config.markets ?? []).flatMap((market): Venue | readonly Venue[] => {
    switch (market.venue) {
      case 'rfq':
        return openRfqVenue(
          deps,
          market.makers.map(({ url, address }, index) => {
            const name = `maker ${index + 1} of ${config.network}`
            const service = openMarketService({ url, name, clock, fetch: ask })
            return openMaker(knownAddress(address), service)
          }),
        )
      case 'jupiter': {
        const { url, apiKey } = market
        const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey.reveal() }
        const name = `the router of ${config.network}`
        const service = openMarketService({ url, name, clock, fetch: ask, headers })
        return openJupiterVenue(deps, openJupiterApi(service))
      }
      case 'module':
        return modules
          .filter(({ name }) => name === market.name)
          .map((each) => openProgramVenue(deps, each))
      case 'uniswap-v2':
      case 'uniswap-v3':
        throw new Error(`${market.venue} is no market of Solana`)
      default:
        return market satisfies never
    }
  })
}
