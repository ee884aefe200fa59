import { familyOf, parseNetworkId } from '@florin/wire/network.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import type { Manner } from './chain/block-tree.ts'

export const TOKEN = 'token-of-the-model'
const DECIMALS = 9

/** A network as an operator would configure it, on a model chain of either kind. */
export function networkOf(kind: 'fee' | 'lifetime'): NetworkConfig {
  const network = parseNetworkId(
    kind === 'fee' ? 'eip155:8453' : `solana:${'Mode1'.padEnd(32, '1')}`,
  )
  if (network === undefined) throw new Error('no network id')
  return {
    network,
    family: familyOf(network),
    name: `a model of ${kind}s`,
    sandbox: false,
    sandboxInstance: null,
    rpcUrls: [],
    assets: [
      { symbol: 'COIN', asset: 'native', decimals: DECIMALS, takesCommitment: true },
      { symbol: 'TOK', asset: TOKEN, decimals: DECIMALS, takesCommitment: true },
    ],
    releaseDepth: 1,
    finality: { kind: 'tag' },
    blockTimeMilliseconds: kind === 'fee' ? 2_000 : 1_000,
    fees: {
      feePerGasMax: 1_000_000n,
      tipPerGasDefault: 1n,
      ceilingMultiple: 4n,
      bumpAfterBlocks: 3,
    },
    sponsoring: {
      gasPerAccountPerDay: 10n ** 12n,
      gasPerPayerPerDay: 10n ** 12n,
      paymentToGasPercent: 100n,
    },
  }
}

/** Whose keys pay for settlements. */
export const SETTLERS: readonly Address[] = ['settler-0' as Address, 'settler-1' as Address]
export const BUYERS: readonly Address[] = ['buyer-0' as Address, 'buyer-1' as Address]
export const SELLERS: readonly Address[] = ['seller-0' as Address, 'seller-1' as Address]

/** Whom payers pay, and how their code takes it. */
export const RECIPIENTS = new Map<Address, Manner>(
  (['takes', 'takes', 'takes', 'refuses', 'swallows', 'moody'] as const).map((manner, index) => [
    `recipient-${index}-${manner}` as Address,
    manner,
  ]),
)
