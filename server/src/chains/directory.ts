import { Refusal } from '@florin/wire/errors.ts'
import { readNetworkName } from '@florin/wire/network-alias.ts'
import type { Family, NetworkId } from '@florin/wire/network.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import { addressRule } from './address-rule.ts'
import type { Address, Chain } from './chain.ts'

/** The enabled networks, and the way from what a caller wrote to one of them. */
export interface ChainDirectory {
  readonly all: ReadonlyMap<NetworkId, Chain>
  /** The enabled network that a caller named, in CAIP-2 form or by its name of x402 version 1. Refuses UNSUPPORTED_NETWORK, which names those there are. */
  named(network: string): Chain
  /**
   * The chain that a request means: the named network, else the first configured one of the address's family. Refuses
   * UNSUPPORTED_NETWORK, and INVALID_PARAMETERS naming the field when the address is of no enabled family.
   */
  resolve(request: { network?: string | undefined; address: string; field: string }): {
    chain: Chain
    address: Address
  }
  /** The asset that a request means on a chain; left out it is native. Refuses UNSUPPORTED_ASSET. */
  asset(chain: Chain, named: string | undefined): AssetProfile
}

export function openDirectory(chains: readonly Chain[]): ChainDirectory {
  const all = new Map(chains.map((chain) => [chain.config.network, chain]))
  const firstOf = (family: Family) => chains.find((chain) => chain.config.family === family)
  const named = (network: string): Chain => {
    const id = readNetworkName(network)
    const chain = id === undefined ? undefined : all.get(id)
    if (chain !== undefined) return chain
    throw new Refusal('UNSUPPORTED_NETWORK', {
      details: { network: `one of ${[...all.keys()].join(', ')}` },
    })
  }
  return {
    all,
    named,
    resolve: ({ network, address, field }) => {
      if (network !== undefined) {
        const chain = named(network)
        const parsed = chain.parseAddress(address)
        if (parsed === undefined) {
          throw badAddress(field, addressRule(chain.config))
        }
        return { chain, address: parsed }
      }
      for (const family of ['evm', 'solana'] as const) {
        const chain = firstOf(family)
        const parsed = chain?.parseAddress(address)
        if (chain !== undefined && parsed !== undefined) return { chain, address: parsed }
      }
      throw badAddress(
        field,
        'must be an address of an enabled chain family, with a right checksum',
      )
    },
    asset: (chain, named = 'native') => {
      const profile = chain.config.assets.find(
        ({ asset, symbol }) =>
          asset === named || symbol === named || asset === chain.parseAddress(named),
      )
      if (profile === undefined) {
        throw new Refusal('UNSUPPORTED_ASSET', {
          details: {
            asset: `one of ${chain.config.assets.map(({ symbol }) => symbol).join(', ')}`,
          },
        })
      }
      return profile
    },
  }
}

function badAddress(field: string, rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}
