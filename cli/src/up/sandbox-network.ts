import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { Secret } from '@florin/server/kernel/secret.ts'
import { familyOf, parseNetworkId } from '@florin/wire/network.ts'
import type { SandboxReady } from './sandbox-ready.ts'

const GIGA = 10n ** 9n
const NATIVE_DECIMALS = 18
const USDC_DECIMALS = 6

/** The sandbox's EVM chain as a network of the service. */
export function sandboxNetwork({ instance, evm }: SandboxReady): NetworkConfig {
  const network = parseNetworkId(evm.network)
  if (network === undefined) throw new Error(`the sandbox names no network: ${evm.network}`)
  return Object.freeze<NetworkConfig>({
    network,
    family: familyOf(network),
    name: 'Base Sepolia (Florin sandbox)',
    sandbox: true,
    sandboxInstance: instance,
    rpcUrls: [new Secret(evm.rpcUrl)],
    assets: [
      { symbol: 'ETH', asset: 'native', decimals: NATIVE_DECIMALS, takesCommitment: true },
      {
        symbol: 'USDC',
        asset: evm.usdc,
        decimals: USDC_DECIMALS,
        takesCommitment: true,
        domain: { name: 'USDC', version: '2' },
      },
    ],
    // Included is enough: nobody but us mines here, and without traffic the next block may be many seconds away.
    releaseDepth: 0,
    finality: { kind: 'tag' },
    blockTimeMilliseconds: 100,
    fees: {
      feePerGasMax: 500n * GIGA,
      tipPerGasDefault: GIGA / 1_000n,
      ceilingMultiple: 2n,
      bumpAfterBlocks: 3,
    },
  })
}
