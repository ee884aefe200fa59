import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'

/**
 * From which height on the use of a signature is looked for that was first seen at one: a reorganisation may bring it below, and somebody else may have
 * settled it before it was shown here. So many blocks below, and as much time where blocks are quick.
 */
export function lookedFrom(
  seenAt: bigint,
  { blockTimeMilliseconds }: Pick<NetworkConfig, 'blockTimeMilliseconds'>,
): bigint {
  const inTime = Math.ceil((limits.lookBackSeconds * 1000) / blockTimeMilliseconds)
  const back = BigInt(Math.max(limits.lookBackBlocks, inTime))
  return seenAt > back ? seenAt - back : 0n
}
