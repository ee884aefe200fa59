import { ratioOf } from './price.ts'
import type { Ratio } from './price.ts'

/** What a token costs now. */
export interface LatestPrice {
  readonly mint: string
  readonly ratio: Ratio
  /** Native base units in the market that says so; null when it shows none, as a maker's. Through a hub the lesser of both pools. */
  readonly depth: bigint | null
  /** Block time of what it was read from. Through a hub the older of both. */
  readonly atMilliseconds: number
  /** The token that the price leads through; null: it is said by a market with native currency. */
  readonly hub: string | null
}

/** `native` base units of native currency for `token` base units of the token. */
export interface DirectPrice {
  readonly mint: string
  readonly native: bigint
  readonly token: bigint
  readonly depth: bigint | null
  readonly atMilliseconds: number
}

/** `quote` base units of the hub for `token` base units of the token. */
export interface PriceInHub {
  readonly mint: string
  readonly hub: string
  readonly quote: bigint
  readonly token: bigint
  /** The amounts are what the pool holds. */
  readonly isHeld: boolean
  readonly atMilliseconds: number
}

/** The price that native currency says; undefined when it is below what can be counted. */
export function directly({
  mint,
  native,
  token,
  depth,
  atMilliseconds,
}: DirectPrice): LatestPrice | undefined {
  const ratio = ratioOf(native, token)
  return ratio === undefined ? undefined : { mint, ratio, depth, atMilliseconds, hub: null }
}

/**
 * The price in the hub times what native currency says the hub costs, rounded down once. A hub's own price is never one through a hub, so no way
 * is longer and none leads back.
 */
export function throughHub(leg: PriceInHub, hub: DirectPrice): LatestPrice | undefined {
  const ratio = ratioOf(leg.quote * hub.native, leg.token * hub.token)
  if (ratio === undefined) return undefined
  const worth = (leg.quote * hub.native) / hub.token
  const depth = !leg.isHeld || hub.depth === null ? null : worth < hub.depth ? worth : hub.depth
  const atMilliseconds = Math.min(leg.atMilliseconds, hub.atMilliseconds)
  return { mint: leg.mint, ratio, depth, atMilliseconds, hub: leg.hub }
}

/**
 * The deepest of what pools hold. Where no pool shows that, a trade against native currency, and where there is none, the newest through a hub.
 */
export function bestPrice(
  direct: LatestPrice | undefined,
  through: readonly LatestPrice[],
): LatestPrice | undefined {
  const newestFirst = through.toSorted((a, b) => b.atMilliseconds - a.atMilliseconds)
  const all = direct === undefined ? newestFirst : [direct, ...newestFirst]
  return all.toSorted((a, b) => byDepth(a.depth, b.depth))[0]
}

/** The deepest first, unknown depths last. */
function byDepth(a: bigint | null, b: bigint | null): number {
  if (a === b) return 0
  return (a ?? -1n) < (b ?? -1n) ? 1 : -1
}
