/** What a pool holds, seen from what goes in. Base units. */
export interface Reserves {
  readonly reserveIn: bigint
  readonly reserveOut: bigint
}

/** A pool of Uniswap V2 keeps 0.3 %. */
const KEPT = 997n
const WHOLE = 1_000n
const BASIS_POINTS = 10_000n
/** A pool keeps its reserves in 112 bits and refuses to hold more. */
const RESERVE_MAX = 2n ** 112n - 1n

/** What comes out, to the base unit; 0 when nothing does. Source: UniswapV2Library.getAmountOut. */
export function amountOut(amountIn: bigint, { reserveIn, reserveOut }: Reserves): bigint {
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 0n) return 0n
  if (reserveIn + amountIn > RESERVE_MAX) return 0n
  const taken = amountIn * KEPT
  return (taken * reserveOut) / (reserveIn * WHOLE + taken)
}

/** How much less comes out of all the pools than at the price for next to nothing, the pool's fee included in both; rounded down. */
export function priceImpactBasisPoints(
  amountIn: bigint,
  out: bigint,
  /** The pools on the way. */
  pools: readonly Reserves[],
): bigint {
  // At a pool's price amountIn * 997 * reserveOut / (reserveIn * 1000) would come out; no quotient is rounded before the last.
  const ideal = pools.reduce((sum, { reserveOut }) => sum * KEPT * reserveOut, amountIn)
  const got = pools.reduce((sum, { reserveIn }) => sum * reserveIn * WHOLE, out)
  return ideal <= got ? 0n : ((ideal - got) * BASIS_POINTS) / ideal
}
