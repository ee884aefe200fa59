import type { Curve, FeeTier } from './layouts.ts'

/** In basis points. */
export interface Fees {
  readonly protocol: bigint
  readonly creator: bigint
}

const BASIS_POINTS = 10_000n
/** Base units that market value is counted with, for every coin but a mayhem one. */
const SUPPLY = 1_000_000_000_000_000n

/** What a trade on this curve pays. Source: the published package, `computeFeesBps` and what it says of the program. */
export function feesOf(
  curve: Curve,
  tiers: readonly FeeTier[],
  { isCreatorFeeOwn, hasCreator }: { isCreatorFeeOwn: boolean; hasCreator: boolean },
): Fees | undefined {
  if (curve.virtualTokens === 0n || curve.virtualLamports === 0n) return undefined
  const value = (curve.virtualLamports * SUPPLY) / curve.virtualTokens
  const tier = tiers.findLast(({ from }) => value >= from) ?? tiers[0]
  if (tier === undefined) return undefined
  const creator = isCreatorFeeOwn && curve.creatorFee > 0n ? curve.creatorFee : tier.creator
  return { protocol: tier.protocol, creator: hasCreator ? creator : 0n }
}

/** What comes out, and what would at the price for nothing at all, both without the fees. */
export interface Priced {
  readonly out: bigint
  readonly atOnce: bigint
}

/**
 * Tokens for exactly so many lamports, the fees in them. Source: the interface's own words on `buy_exact_sol_in`. The published package rounds
 * otherwise and may say a little more.
 */
export function tokensFor(lamports: bigint, curve: Curve, fees: Fees): Priced {
  const { virtualTokens, virtualLamports } = curve
  const least = (lamports * BASIS_POINTS) / (BASIS_POINTS + fees.protocol + fees.creator)
  const over = least + feeOn(least, fees) - lamports
  const net = (over > 0n ? least - over : least) - 1n
  if (net <= 0n) return { out: 0n, atOnce: 0n }
  return {
    out: (net * virtualTokens) / (virtualLamports + net),
    atOnce: (net * virtualTokens) / virtualLamports,
  }
}

/** Lamports for exactly so many tokens, the fees taken off. */
export function lamportsFor(tokens: bigint, curve: Curve, fees: Fees): Priced & { gross: bigint } {
  const { virtualTokens, virtualLamports } = curve
  const gross = (tokens * virtualLamports) / (virtualTokens + tokens)
  const whole = (tokens * virtualLamports) / virtualTokens
  return { gross, out: without(gross, fees), atOnce: without(whole, fees) }
}

/** Both parts are rounded up, which may be more than there is. */
function without(lamports: bigint, fees: Fees): bigint {
  const left = lamports - feeOn(lamports, fees)
  return left > 0n ? left : 0n
}

function feeOn(lamports: bigint, { protocol, creator }: Fees): bigint {
  return part(lamports, protocol) + part(lamports, creator)
}

/** Rounded up. */
function part(lamports: bigint, fee: bigint): bigint {
  return (lamports * fee + BASIS_POINTS - 1n) / BASIS_POINTS
}

/** How much worse than the price for nothing at all; rounding may make it look better. */
export function impactOf({ out, atOnce }: Priced): bigint | null {
  if (atOnce === 0n) return null
  return atOnce > out ? ((atOnce - out) * BASIS_POINTS) / atOnce : 0n
}
