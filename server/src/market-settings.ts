import { checksumAddress, isEvmAddress, isSolanaAddress } from '@florin/wire/address.ts'
import type { Family } from '@florin/wire/network.ts'
import type { MarketConfig } from './kernel/network-config.ts'
import { Secret } from './kernel/secret.ts'
import type { Reader } from './settings-reader.ts'

const MARKETS_MAX = 8
const MAKERS_MAX = 8
const FEE_TIERS_MAX = 8
/** Each is a way that every quote looks at. */
const HUBS_MAX = 4
/** In hundredths of a basis point: all of it. */
const FEE_MAX = 1_000_000n
const VENUES: Readonly<Record<Family, readonly MarketConfig['venue'][]>> = {
  evm: ['uniswap-v2', 'uniswap-v3'],
  solana: ['rfq', 'jupiter', 'module'],
}

/** Venues from outside, by name, each with the networks that it is for. */
export type KnownModules = readonly {
  readonly name: string
  readonly networks: readonly string[]
}[]

/** Reads a network's `markets`, with the fields of MarketConfig; none when the entry has none. */
export function readMarkets(
  entry: Reader,
  family: Family,
  { network, modules }: { readonly network: string; readonly modules: KnownModules | undefined },
): { readonly markets?: readonly MarketConfig[] } {
  if (!entry.has('markets')) return {}
  const markets = entry.list('markets', 1, MARKETS_MAX).flatMap((market) => {
    const venue = VENUES[family].find((each) => each === market.text('venue'))
    if (venue !== undefined)
      return [readMarket(market, venue, (name) => isKnown(name, network, modules))]
    market.refuse('venue', `must be ${VENUES[family].map((name) => `"${name}"`).join(' or ')}`)
    return []
  })
  return { markets: Object.freeze(markets) }
}

function isKnown(name: string, network: string, modules: KnownModules | undefined): boolean {
  const found = modules?.find((each) => each.name === name)
  return modules === undefined || found?.networks.includes(network) === true
}

function readMarket(
  market: Reader,
  venue: MarketConfig['venue'],
  isModule: (name: string) => boolean,
): MarketConfig {
  switch (venue) {
    case 'uniswap-v2':
      market.only(['venue', 'factory', 'router', 'wrappedNative', 'hubs'])
      return { venue, ...contractsOf(market) }
    case 'uniswap-v3':
      market.only(['venue', 'factory', 'router', 'quoter', 'wrappedNative', 'feeTiers', 'hubs'])
      return {
        venue,
        ...contractsOf(market),
        quoter: address(market, 'quoter'),
        feeTiers: feeTiers(market),
      }
    case 'rfq':
      market.only(['venue', 'makers'])
      return {
        venue,
        makers: market.list('makers', 1, MAKERS_MAX).map((maker) => {
          maker.only(['url', 'address'])
          const found = maker.text('address')
          if (!isSolanaAddress(found)) maker.refuse('address', 'must be 32 bytes in base58')
          return { url: url(maker), address: found }
        }),
      }
    case 'jupiter':
      market.only(['venue', 'url', 'apiKey'])
      return {
        venue,
        url: url(market),
        ...(market.has('apiKey') ? { apiKey: new Secret(market.text('apiKey')) } : {}),
      }
    case 'module': {
      market.only(['venue', 'name'])
      const name = market.text('name')
      if (!isModule(name))
        market.refuse('name', 'must be a venue of FLORIN_VENUES for this network')
      return { venue, name }
    }
    default:
      return venue satisfies never
  }
}

function contractsOf(market: Reader) {
  return {
    factory: address(market, 'factory'),
    router: address(market, 'router'),
    wrappedNative: address(market, 'wrappedNative'),
    ...(market.has('hubs') ? { hubs: hubs(market) } : {}),
  }
}

function hubs(market: Reader): readonly string[] {
  return market.texts('hubs', 1, HUBS_MAX).map(({ value, refuse }) => {
    if (isEvmAddress(value)) return checksumAddress(value)
    refuse('must be 0x and 40 hex digits, with a right checksum when in mixed case')
    return value
  })
}

function address(market: Reader, field: string): string {
  const found = market.text(field)
  if (isEvmAddress(found)) return checksumAddress(found)
  market.refuse(field, 'must be 0x and 40 hex digits, with a right checksum when in mixed case')
  return found
}

/** As decimal text, like everything that contracts count. */
function feeTiers(market: Reader): readonly number[] {
  return market.texts('feeTiers', 1, FEE_TIERS_MAX).map(({ value, refuse }) => {
    const isWhole = /^[0-9]{1,7}$/.test(value)
    if (!isWhole || BigInt(value) >= FEE_MAX) refuse(`must be a whole number below ${FEE_MAX}`)
    return Number(value)
  })
}

/** Never repeated in a problem: it often holds a key. */
function url(market: Reader): Secret {
  const found = market.text('url')
  const protocol = URL.parse(found)?.protocol
  if (protocol !== 'http:' && protocol !== 'https:') {
    market.refuse('url', 'must be an http or https URL')
  }
  return new Secret(found)
}
