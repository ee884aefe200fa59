import type { Brand } from './brand.ts'

/** The two kinds of chain Florin speaks to. */
export type Family = 'evm' | 'solana'

/** A CAIP-2 chain id such as `eip155:8453`. Source: CAIP-2. */
export type NetworkId = Brand<string, 'NetworkId'>

const NETWORK_ID = /^(?:eip155:[1-9][0-9]{0,17}|solana:[1-9A-HJ-NP-Za-km-z]{32})$/

/** Reads a CAIP-2 id of a family we know, else undefined. Aliases of x402 v1 are resolved elsewhere. */
export function parseNetworkId(text: string): NetworkId | undefined {
  return NETWORK_ID.test(text) ? (text as NetworkId) : undefined
}

/** The family that a network id's namespace names. */
export function familyOf(network: NetworkId): Family {
  return network.startsWith('eip155:') ? 'evm' : 'solana'
}
