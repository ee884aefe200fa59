import type { Florin, Network } from '@florin/sdk'

/** The symbol of an asset on a network, `USDC`; its address where the service does not list it any more. */
export type AssetNames = (network: string, asset: string) => string

/** Asks the service for its networks once. */
export async function readAssetNames(florin: Florin, signal: AbortSignal): Promise<AssetNames> {
  const networks: readonly Network[] = await florin.networks.list({ signal })
  const names = new Map(
    networks.flatMap(({ network, assets }) =>
      assets.map(({ asset, symbol }) => [`${network} ${asset}`, symbol] as const),
    ),
  )
  return (network, asset) => names.get(`${network} ${asset}`) ?? asset
}

/** The name of a network's native currency. */
export function nativeName(names: AssetNames, network: string): string {
  return names(network, 'native')
}
