import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Payment } from './payment.ts'

/** What a seller may release something on: the effect, with as many blocks on top as the network asks for. */
export function isReleased(
  { status, blockHeight }: Pick<Payment, 'status' | 'blockHeight'>,
  config: Pick<NetworkConfig, 'releaseDepth'> | undefined,
  followed: bigint | null,
): boolean {
  if (status === 'settled') return true
  if (status !== 'confirmed' || config === undefined) return false
  return isBelow(blockHeight, config, followed)
}

/** Whether a block has as many on top as the network asks for. */
export function isBelow(
  height: bigint | null | undefined,
  config: Pick<NetworkConfig, 'releaseDepth'> | undefined,
  followed: bigint | null,
): boolean {
  if (height === null || height === undefined || config === undefined) return false
  return followed !== null && followed - height >= BigInt(config.releaseDepth)
}
