import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { TradedToken } from '../chains/venue.ts'
import type { Clock } from '../kernel/clock.ts'
import { keepRead } from '../kernel/keep-read.ts'
import { limits } from '../kernel/limits.ts'
import type { AssetProfile } from '../kernel/network-config.ts'

/** One more, and a whole token is more than any amount: no payment can move it, so what was bought could not be sold. */
const DECIMALS_MAX = 77

/** Tokens as trades need them. */
export interface Tokens {
  /** Reads a caller's `mint`. Refuses INVALID_MINT where there is no such token; throws NodeFailure when nobody can say. */
  of(chain: Chain, mintText: string): Promise<TradedToken>
}

/**
 * What a token's decimals and symbol are never changes, so what the chain said once is kept as long as the service runs, the oldest
 * forgotten first beyond `limits.tradedTokensKeptMax`; who asks at the same moment shares the question. What is no token is asked for
 * again: it may become one.
 */
export function openTokens({ clock }: { readonly clock: Clock }): Tokens {
  const kept = keepRead<TradedToken>({ clock, keptMax: limits.tradedTokensKeptMax })
  return {
    of: async (chain, mintText) => {
      const mint = chain.parseAddress(mintText)
      if (mint === undefined) throw noToken(`must be a valid ${chain.config.family} address`)
      const name = `${chain.config.network} ${mint}`
      return await kept(name, Number.POSITIVE_INFINITY, () => readToken(chain, mint))
    },
  }
}

async function readToken(chain: Chain, mint: Address): Promise<TradedToken> {
  const configured = chain.config.assets.find(({ asset }) => asset === mint)
  if (configured !== undefined) {
    return { mint, decimals: configured.decimals, symbol: configured.symbol }
  }
  const [facts] = (await chain.tokens?.facts([mint])) ?? []
  if (facts === undefined) throw noToken('there is no token at this address')
  if (facts.decimals > DECIMALS_MAX) {
    throw noToken(`has more than ${DECIMALS_MAX} fraction digits, and no payment can`)
  }
  return { mint, decimals: facts.decimals, symbol: facts.symbol }
}

/** A token as the asset of a payment. */
export function assetOf(token: TradedToken): AssetProfile {
  return {
    asset: token.mint,
    symbol: token.symbol ?? token.mint,
    decimals: token.decimals,
    takesCommitment: false,
  }
}

function noToken(rule: string): Refusal {
  return new Refusal('INVALID_MINT', { details: { mint: rule } })
}
