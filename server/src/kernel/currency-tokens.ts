import type { NetworkId } from '@florin/wire/network.ts'
import type { AssetProfile, NetworkConfig } from './network-config.ts'

/**
 * Tokens that are the native currency of their chain under another name. Sources: docs.arc.io, "Stablecoin native model"; docs.stable.xyz, "USDT0 behavior";
 * docs.celo.org, "Token duality"; Polygon's MRC20.
 */
const CURRENCY_TOKENS: ReadonlyMap<string, string> = new Map([
  ['eip155:5042', '0x3600000000000000000000000000000000000000'],
  ['eip155:5042002', '0x3600000000000000000000000000000000000000'],
  ['eip155:988', '0x779ded0c9e1022225f8e0630b35a9b54be713736'],
  ['eip155:2201', '0x78cf24370174180738c5b8e352b6d14c83a6c9a9'],
  ['eip155:42220', '0x471ece3750da237f93b8e339c536989b8978a438'],
  ['eip155:137', '0x0000000000000000000000000000000000001010'],
])

/** Takes a payment by this name only with the amount as the value of the call, which no transfer of ours sends: it would move nothing. */
const WANT_VALUE: ReadonlySet<string> = new Set(['eip155:137'])

/**
 * Where the token of Stable keeps what is below its own decimals: it logs a transfer from there whenever a wallet's parts make up a whole unit. The money is the
 * wallet's already. Source: docs.stable.xyz, "USDT0 behavior".
 */
const RESERVES: ReadonlyMap<string, string> = new Map(
  ['eip155:988', 'eip155:2201'].map((network) => [
    network,
    '0x6d11e1a6bdcc974ebe1ca73cc2c1ea3fde624370',
  ]),
)

/** The decimals of every EVM chain's native currency. */
export const CURRENCY_DECIMALS = 18

/** Whether this token is known to be the native currency of this network. */
export function isKnownCurrency(network: NetworkId, asset: string): boolean {
  return asset.toLowerCase() === CURRENCY_TOKENS.get(network)
}

/** Whether an asset of a network is the native currency under a token's name. */
export function isCurrencyToken({ assets }: Pick<NetworkConfig, 'assets'>, named: string): boolean {
  return assets.some(({ asset, isCurrency }) => asset === named && isCurrency === true)
}

/** Whether a transfer by the token's log is what the token does with parts of its own unit, and brings nobody anything. */
export function isReserve(network: NetworkId, address: string): boolean {
  return address.toLowerCase() === RESERVES.get(network)
}

/** How many base units of the native currency one base unit of a token of these decimals is, which is that currency. */
export function nativeUnitsPerUnit(decimals: number): bigint {
  if (decimals > CURRENCY_DECIMALS)
    throw new RangeError('a token with more decimals than its own currency')
  return 10n ** BigInt(CURRENCY_DECIMALS - decimals)
}

/** In which books an amount of an asset stands, and as how much: a token that is the native currency has none of its own. */
export function inBooks(
  { asset, decimals, isCurrency }: Pick<AssetProfile, 'asset' | 'decimals' | 'isCurrency'>,
  amount: bigint,
): { readonly asset: string; readonly amount: bigint } {
  if (isCurrency !== true) return { asset, amount }
  return { asset: 'native', amount: amount * nativeUnitsPerUnit(decimals) }
}

/** The same of an asset by its name. One that is not listed any more is taken by its own name. */
export function namedInBooks(
  { assets }: Pick<NetworkConfig, 'assets'>,
  named: string,
  amount: bigint,
): { readonly asset: string; readonly amount: bigint } {
  const profile = assets.find(({ asset }) => asset === named)
  return profile === undefined ? { asset: named, amount } : inBooks(profile, amount)
}

/** The listed tokens by whose name no transfer of ours moves the currency. */
export function unpayableCurrencyTokens(
  networks: readonly Pick<NetworkConfig, 'network' | 'assets'>[],
): readonly { readonly network: NetworkId; readonly asset: string }[] {
  return networks.flatMap(({ network, assets }) =>
    assets
      .filter(({ asset }) => WANT_VALUE.has(network) && isKnownCurrency(network, asset))
      .map(({ asset }) => ({ network, asset })),
  )
}
