import type { NetworkId } from '@florin/wire/network.ts'
import type { NetworkConfig } from './network-config.ts'

/**
 * Tokens that are the native currency of their chain under another name, with other decimals. Sources: docs.arc.network, "Stablecoin native model"; Stable's and Polygon's own
 * documents; docs.celo.org, "Token duality".
 */
const CURRENCY_TOKENS: ReadonlyMap<string, string> = new Map([
  ['eip155:5042', '0x3600000000000000000000000000000000000000'],
  ['eip155:5042002', '0x3600000000000000000000000000000000000000'],
  ['eip155:988', '0x779ded0c9e1022225f8e0630b35a9b54be713736'],
  ['eip155:2201', '0x78cf24370174180738c5b8e352b6d14c83a6c9a9'],
  ['eip155:42220', '0x471ece3750da237f93b8e339c536989b8978a438'],
  ['eip155:137', '0x0000000000000000000000000000000000001010'],
])

/** The listed tokens that are their network's currency: each asset has books of its own here, so a wallet there shows one money twice. */
export function currencyTokens(
  networks: readonly Pick<NetworkConfig, 'network' | 'assets'>[],
): readonly { readonly network: NetworkId; readonly asset: string }[] {
  return networks.flatMap(({ network, assets }) =>
    assets
      .filter(({ asset }) => asset.toLowerCase() === CURRENCY_TOKENS.get(network))
      .map(({ asset }) => ({ network, asset })),
  )
}
