import { gasLimit } from '../gas.ts'

/** The most that is offered for a swap: a tick or two of a deep pool take a tenth of it, and a token that burns more is not traded. */
export const SWAP_GAS_MAX = 1_500_000n
/**
 * Offered for each pool on the way when no node can say, because money or allowance is not there yet: a swap of Uniswap V2 took 91,000 (buy) and 105,000 (sell) gas
 * with a plain token, and tokens with a fee of their own take up to twice as much.
 */
export const SWAP_GAS = 300_000n
/** Offered for an allowance that cannot be tried beforehand; a plain token takes 46,000, and 134,000 where new state is dear (EIP-8037). */
export const APPROVE_GAS = 200_000n

/**
 * A pool notes its price in the first swap of each new second (V2: two sums, V3: an observation), which a trial in the same second as
 * its last change does not see: 10,000 gas, and in a young pool 44,000.
 */
const POOL_CLOCK_GAS = 50_000n

/** The limit for a swap through so many pools that a node has estimated. */
export function swapGasLimit(estimate: bigint, data: Uint8Array, pools: bigint): bigint {
  return gasLimit(estimate, data) + pools * POOL_CLOCK_GAS
}

/**
 * The limit for a call that was run on a state of its own. Its gas used is after refunds, a fifth at most, and calls within hold
 * back a 64th. `pools`: how many it swaps through.
 */
export function limitForUsed(used: bigint, pools: bigint): bigint {
  return (used * 3n + 1n) / 2n + pools * POOL_CLOCK_GAS
}
