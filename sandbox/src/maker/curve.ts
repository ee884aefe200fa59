/** What stands against each other on a curve, in base units. */
export interface Reserves {
  readonly lamports: bigint
  readonly tokens: bigint
}

export interface Price {
  readonly amountOut: bigint
  /** How much worse than for next to nothing, in hundredths of a percent. */
  readonly priceImpactBasisPoints: bigint
}

const FEE_BASIS_POINTS = 30n
const BASIS_POINTS = 10_000n

/**
 * The reserves of a constant product that holds so many tokens. Only the tokens decide, and those are on the chain: nothing else has to
 * be remembered. Rounded against the taker.
 */
export function reservesAt(
  tokens: bigint,
  { lamports, tokens: supply }: Reserves,
  side: 'buy' | 'sell',
): Reserves {
  if (tokens <= 0n) return { lamports: 0n, tokens: 0n }
  const product = lamports * supply
  return { tokens, lamports: side === 'buy' ? (product + tokens - 1n) / tokens : product / tokens }
}

/** What an amount buys of the other side. Never all of it; 0 when it buys not even one base unit. */
export function priceOf(amountIn: bigint, from: bigint, to: bigint): Price {
  if (amountIn <= 0n || from <= 0n) return { amountOut: 0n, priceImpactBasisPoints: 0n }
  const working = amountIn * (BASIS_POINTS - FEE_BASIS_POINTS)
  const whole = from * BASIS_POINTS + working
  return {
    amountOut: (working * to) / whole,
    priceImpactBasisPoints: (working * BASIS_POINTS) / whole,
  }
}
