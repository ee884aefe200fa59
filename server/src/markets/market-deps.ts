import type { Chain } from '../chains/chain.ts'
import type { MarketReader } from '../chains/market.ts'
import type { TokenReader } from '../chains/token-reader.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import type { Store } from '../store/postgres.ts'
import type { ToldPrices } from './told-prices.ts'

/** A chain whose markets can be read. */
export type MarketChain = Chain & { readonly market: MarketReader; readonly tokens: TokenReader }

/** What reading the markets of one network stands on. */
export interface MarketDeps {
  readonly chain: MarketChain
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly told: ToldPrices
  /** Told when blocks that were read showed something of a market. */
  readonly shown?: () => void
}

/** The chain changed under a read; nothing was stored, the next round sees the new one. */
export class MarketsMoved extends Error {
  override readonly name = 'MarketsMoved'
}

export function hasMarkets(chain: Chain): chain is MarketChain {
  return chain.market !== undefined && chain.tokens !== undefined
}
