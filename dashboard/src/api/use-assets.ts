import { useMemo } from 'react'
import { wholeUnits } from '../format/amount-text.ts'
import type { Answer } from './operation.ts'
import { useAnswer } from './use-answer.ts'

export type NetworkInfo = Answer<'GET /networks'>['networks'][number]
export type AssetInfo = NetworkInfo['assets'][number]

/** What is known of the networks and assets of this installation. */
export interface Assets {
  readonly networks: readonly NetworkInfo[]
  /** False until the networks were read. */
  readonly known: boolean
  network(network: string): NetworkInfo | undefined
  asset(network: string, asset: string): AssetInfo | undefined
  /** What people call an asset; its own name where it is not configured any more. */
  symbol(network: string, asset: string): string
  /** Base units as exact text of whole units; undefined where nobody knows the asset's decimals. */
  amount(network: string, asset: string, baseUnits: string): string | undefined
}

/** Names and decimals of the assets, from the one list of networks that the whole page shares: the same object until that changes. */
export function useAssets(): Assets {
  const { data } = useAnswer('GET /networks')
  return useMemo(() => assetsOf(data), [data])
}

function assetsOf(data: Answer<'GET /networks'> | undefined): Assets {
  const networks = data?.networks ?? []
  const network = (id: string) => networks.find((each) => each.network === id)
  const asset = (id: string, name: string) =>
    network(id)?.assets.find((each) => each.asset === name || each.symbol === name)
  return {
    networks,
    known: data !== undefined,
    network,
    asset,
    symbol: (id, name) => asset(id, name)?.symbol ?? (name === 'native' ? '' : name),
    amount: (id, name, baseUnits) => {
      const found = asset(id, name)
      return found === undefined ? undefined : wholeUnits(baseUnits, found.decimals)
    },
  }
}
