import type { NetworkConfig } from './network-config.ts'

/** Whether a block has as many on top, as far as the network has been read, as the network asks for before anything is released on it. */
export function isDeepEnough(
  height: bigint | null | undefined,
  config: Pick<NetworkConfig, 'releaseDepth'> | undefined,
  followed: bigint | null,
): boolean {
  if (height === null || height === undefined || config === undefined) return false
  return followed !== null && followed - height >= BigInt(config.releaseDepth)
}
