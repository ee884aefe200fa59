import type { AssetProfile, NetworkConfig } from '../../kernel/network-config.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import { Secret } from '../../kernel/secret.ts'

const NETWORK = parseNetworkId('eip155:84532')

export const NATIVE: AssetProfile = {
  symbol: 'ETH',
  asset: 'native',
  decimals: 18,
  takesCommitment: true,
}

export const USDC: AssetProfile = {
  symbol: 'USDC',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  decimals: 6,
  takesCommitment: true,
  domain: { name: 'USDC', version: '2' },
}

/** The sandbox's network at the given nodes, for tests. */
export function testNetwork(
  urls: readonly string[],
  change: Partial<NetworkConfig> = {},
): NetworkConfig {
  if (NETWORK === undefined) throw new Error('the test network has no proper id')
  return {
    network: NETWORK,
    family: 'evm',
    name: 'Test',
    sandbox: true,
    sandboxInstance: null,
    rpcUrls: urls.map((url) => new Secret(url)),
    assets: [NATIVE, USDC],
    releaseDepth: 0,
    finality: { kind: 'tag' },
    blockTimeMilliseconds: 1_000,
    fees: {
      feePerGasMax: 500_000_000_000n,
      tipPerGasDefault: 1_000_000n,
      ceilingMultiple: 4n,
      bumpAfterBlocks: 3,
    },
    ...change,
  }
}
