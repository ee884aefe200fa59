import type { AssetProfile, NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { Secret } from '@florin/server/kernel/secret.ts'
import { familyOf, parseNetworkId } from '@florin/wire/network.ts'
import type { SandboxReady, SolanaSandbox } from './sandbox-ready.ts'

const GIGA = 10n ** 9n
const NATIVE_DECIMALS = 18
const SOL_DECIMALS = 9
const USDC_DECIMALS = 6
const DOLLARS_PER_NATIVE = 3_000n
/** Native base units for one approval and on a day: what a sandbox's gas asks for, with room. */
const APPROVALS = { amountMax: 10n ** 16n, amountPerDay: 10n ** 18n } as const

/** The sandbox's chains as networks of the service; the first is where a request without a hint goes. */
export function sandboxNetworks(ready: SandboxReady): readonly NetworkConfig[] {
  return [sandboxNetwork(ready), solanaSandboxNetwork(ready)]
}

/** The sandbox's EVM chain as a network of the service. */
export function sandboxNetwork({
  instance,
  evm,
}: Pick<SandboxReady, 'instance' | 'evm'> & Partial<SandboxReady>): NetworkConfig {
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
        takesWalletSignatures: true,
      },
      ...oldTokenOf(evm),
    ],
    // Included is enough: nobody but us mines here, and without traffic the next block may be many seconds away.
    releaseDepth: 0,
    finality: { kind: 'tag' },
    blockTimeMilliseconds: 50,
    fees: {
      feePerGasMax: 500n * GIGA,
      tipPerGasDefault: GIGA / 1_000n,
      ceilingMultiple: 2n,
      bumpAfterBlocks: 3,
    },
    usd: { kind: 'token', asset: evm.usdc },
    permit2: ['exact', 'upto'],
    batchSettlement: true,
    sponsoring: {
      gasPerAccountPerDay: 1_000n * GIGA * GIGA,
      gasPerPayerPerDay: 100n * GIGA * GIGA,
      paymentToGasPercent: 100n,
    },
    ...(evm.approvalWallet === undefined
      ? {}
      : { approvalSponsoring: { wallet: evm.approvalWallet, ...APPROVALS } }),
    ...(evm.market ? { markets: [{ venue: 'uniswap-v2', ...evm.market, hubs: [evm.usdc] }] } : {}),
  })
}

/** The token for which approvals are paid, where they are. */
function oldTokenOf({ oldToken, approvalWallet }: SandboxReady['evm']): readonly AssetProfile[] {
  if (oldToken === undefined || approvalWallet === undefined) return []
  const { mint: asset, symbol, decimals } = oldToken
  // Its value is what is said here: nobody trades it.
  const unitsPerNative = DOLLARS_PER_NATIVE * 10n ** BigInt(decimals)
  return [{ symbol, asset, decimals, takesCommitment: false, unitsPerNative }]
}

/** The sandbox's Solana chain as a network of the service. */
export function solanaSandboxNetwork({
  instance,
  solana,
}: {
  instance: string
  solana: SolanaSandbox
}): NetworkConfig {
  const network = parseNetworkId(solana.network)
  if (network === undefined) throw new Error(`the sandbox names no network: ${solana.network}`)
  return Object.freeze<NetworkConfig>({
    network,
    family: familyOf(network),
    name: 'Solana Devnet (Florin sandbox)',
    sandbox: true,
    sandboxInstance: instance,
    rpcUrls: [new Secret(solana.rpcUrl)],
    assets: [
      { symbol: 'SOL', asset: 'native', decimals: SOL_DECIMALS, takesCommitment: true },
      { symbol: 'USDC', asset: solana.usdc, decimals: USDC_DECIMALS, takesCommitment: true },
    ],
    releaseDepth: 0,
    finality: { kind: 'tag' },
    blockTimeMilliseconds: 400,
    fees: {
      // A lamport per compute unit: some thousand lamports for a transfer.
      feePerGasMax: 1_000_000n,
      tipPerGasDefault: 10_000n,
      ceilingMultiple: 4n,
      bumpAfterBlocks: 3,
    },
    usd: { kind: 'token', asset: solana.usdc },
    sponsoring: {
      gasPerAccountPerDay: 1_000n * GIGA,
      gasPerPayerPerDay: 100n * GIGA,
      paymentToGasPercent: 100n,
    },
    ...(solana.maker
      ? {
          markets: [
            {
              venue: 'rfq',
              makers: [{ url: new Secret(solana.maker.url), address: solana.maker.address }],
            },
          ],
        }
      : {}),
  })
}
