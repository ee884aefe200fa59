import { formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import { describeFinality } from '../kernel/network-config.ts'
import { nativeOf } from '../kernel/network-config.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { KnownFees } from './current-fees.ts'

/** What is known of a network at this moment. */
export interface Standing {
  /** Null before anybody has followed it. */
  readonly height: bigint | null
  readonly isHealthy: boolean
  readonly fees: KnownFees | null
}

/** What a caller may see of a network: nothing of its nodes. */
export function networkFacts(config: NetworkConfig, { height, isHealthy, fees }: Standing) {
  const { network, family, name, assets, releaseDepth, finality, sandbox } = config
  return {
    network,
    family,
    name,
    assets: assets.map(({ symbol, asset, decimals, domain, isCurrency }) => ({
      symbol,
      asset,
      decimals,
      ...(isCurrency === true ? { isCurrency } : {}),
      ...(domain === undefined ? {} : { eip712: domain }),
    })),
    releaseDepth,
    finality: describeFinality(finality),
    height: height === null ? null : Number(height),
    fees: fees === null ? null : feeFacts(fees, config),
    healthy: isHealthy,
    sandbox,
  }
}

function feeFacts(fees: KnownFees, { assets }: NetworkConfig) {
  const decimals = nativeOf({ assets }).decimals
  return {
    transfer: new RawJson(formatAmount(fees.transfer, decimals)),
    transferBaseUnits: fees.transfer.toString(),
    priorityFee: new RawJson(formatAmount(fees.priorityFee, decimals)),
    priorityFeeBaseUnits: fees.priorityFee.toString(),
    updatedAt: fees.updatedAtMilliseconds,
  }
}
