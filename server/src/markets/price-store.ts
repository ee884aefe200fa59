import type { NetworkId } from '@florin/wire/network.ts'
import type { Tx } from '../store/postgres.ts'
import { ratioOf } from './price.ts'
import type { Ratio } from './price.ts'

/** What a token costs now. */
export interface LatestPrice {
  readonly mint: string
  readonly ratio: Ratio
  /** Native base units in the market that says so; null when it shows none, as a maker's. */
  readonly depth: bigint | null
  /** Block time of what it was read from. */
  readonly atMilliseconds: number
}

/**
 * The prices of tokens, those without one left out. The pool that holds the most native currency says it; where no pool shows what it holds,
 * the last trade.
 */
export async function latestPrices(
  tx: Tx,
  network: NetworkId,
  mints: readonly string[],
): Promise<readonly LatestPrice[]> {
  if (mints.length === 0) return []
  const rows = await tx.query<{
    mint: string
    native: string | null
    token: string | null
    at: Date | null
    price: string | null
    traded_at: Date | null
  }>(
    'market_prices',
    `select m.mint, r.native, r.token, r.at, t.price, t.traded_at
     from unnest($2::text[]) as m(mint)
     left join lateral (select native, token, at from (
         select distinct on (market) native, token, at from market_reserves
         where network = $1 and mint = m.mint order by market, height desc) newest
       where native > 0 and token > 0 order by native desc limit 1) r on true
     left join lateral (select price, traded_at from market_trades
       where network = $1 and mint = m.mint order by height desc, id desc limit 1) t on true`,
    [network, [...new Set(mints)]],
  )
  return rows.flatMap((row): readonly LatestPrice[] => {
    const { mint, native, token, at, price, traded_at: tradedAt } = row
    if (native !== null && token !== null && at !== null) {
      const ratio = ratioOf(BigInt(native), BigInt(token))
      if (ratio === undefined) return []
      return [{ mint, ratio, depth: BigInt(native), atMilliseconds: at.getTime() }]
    }
    if (price === null || tradedAt === null) return []
    return [{ mint, ratio: BigInt(price), depth: null, atMilliseconds: tradedAt.getTime() }]
  })
}

/** What markets showed of a token lately; null: nobody knows. */
export interface MarketFigures {
  /** Native base units that its pools hold, and what the tokens in them are worth. */
  readonly liquidity: bigint | null
  /** Native base units that changed hands within the day. Null: it has no market that was seen. */
  readonly dayVolume: bigint | null
  /** Its price a day ago. */
  readonly dayAgo: Ratio | null
}
