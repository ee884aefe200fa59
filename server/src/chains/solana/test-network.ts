import { parseNetworkId } from '@florin/wire/network.ts'
import type { AssetProfile, NetworkConfig } from '../../kernel/network-config.ts'
import { Secret } from '../../kernel/secret.ts'

/** Devnet's id, which the sandbox announces. */
export const NETWORK = parseNetworkId('solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1')

export const NATIVE: AssetProfile = {
  symbol: 'SOL',
  asset: 'native',
  decimals: 9,
  takesCommitment: true,
}

export const USDC: AssetProfile = {
  symbol: 'USDC',
  asset: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  decimals: 6,
  takesCommitment: true,
}

/** The sandbox's network at the given nodes, for tests. */
export function testNetwork(
  urls: readonly string[],
  change: Partial<NetworkConfig> = {},
): NetworkConfig {
  if (NETWORK === undefined) throw new Error('the test network has no proper id')
  return {
    network: NETWORK,
    family: 'solana',
    name: 'Test',
    sandbox: true,
    sandboxInstance: null,
    rpcUrls: urls.map((url) => new Secret(url)),
    assets: [NATIVE, USDC],
    releaseDepth: 0,
    finality: { kind: 'tag' },
    blockTimeMilliseconds: 400,
    fees: {
      feePerGasMax: 1_000_000n,
      tipPerGasDefault: 1_000n,
      ceilingMultiple: 4n,
      bumpAfterBlocks: 3,
    },
    ...change,
  }
}
