import { isDeepEnough } from '../kernel/deep-enough.ts'
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
  return isDeepEnough(blockHeight, config, followed)
}
