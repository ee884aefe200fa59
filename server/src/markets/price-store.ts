import type { NetworkId } from '@florin/wire/network.ts'
import type { Tx } from '../store/postgres.ts'
import { RATIO_DIGITS } from './price.ts'
import type { Ratio } from './price.ts'
import { bestPrice, directly, throughHub } from './through-hub.ts'
import type { DirectPrice, LatestPrice, PriceInHub } from './through-hub.ts'

interface PriceRow {
  readonly mint: string
  /** Null: what markets with native currency say. */
  readonly hub: string | null
  readonly quote: string | null
  readonly token: string | null
  readonly held: boolean
  readonly at: Date | null
  readonly price: string | null
  readonly traded_at: Date | null
}

/**
 * The prices of tokens, those without one left out. The pool that holds the most says it, one with native currency or with one of `hubs` that has
 * a price of its own; where no pool shows what it holds, the last trade. One query for all of them and their hubs.
 */
export async function latestPrices(
  tx: Tx,
  network: NetworkId,
  mints: readonly string[],
  hubs: readonly string[] = [],
): Promise<readonly LatestPrice[]> {
  if (mints.length === 0) return []
  const asked = [...new Set(mints)]
  const rows = await tx.query<PriceRow>(
    'market_prices',
    `select m.mint, null as hub, r.native as quote, r.token, true as held, r.at, t.price, t.traded_at
     from unnest($2::text[]) as m(mint)
     left join lateral (select native, token, at from (
         select distinct on (market) native, token, at from market_reserves
         where network = $1 and mint = m.mint order by market, height desc) newest
       where native > 0 and token > 0 order by native desc limit 1) r on true
     left join lateral (select price, traded_at from market_trades
       where network = $1 and mint = m.mint order by height desc, id desc limit 1) t on true
     union all
     select mint, hub, quote, token, held, at, null, null from (
       select distinct on (mint, market) mint, hub, quote, token, held, at from market_hub_states
       where network = $1 and mint = any($3) and hub = any($4) order by mint, market, height desc) newest
     where quote > 0 and token > 0`,
    [network, [...new Set([...asked, ...hubs])], asked, hubs],
  )
  const direct = new Map(rows.flatMap(directOf).map((price) => [price.mint, price]))
  const legs = Map.groupBy(rows.flatMap(legOf), ({ mint }) => mint)
  return asked.flatMap((mint) => {
    const own = direct.get(mint)
    const ways = hubs.includes(mint) ? [] : (legs.get(mint) ?? [])
    const through = ways.flatMap((leg) => {
      const hub = direct.get(leg.hub)
      return (hub && throughHub(leg, hub)) ?? []
    })
    return bestPrice(own && directly(own), through) ?? []
  })
}

function directOf({
  mint,
  hub,
  quote,
  token,
  at,
  price,
  traded_at: tradedAt,
}: PriceRow): readonly DirectPrice[] {
  if (hub !== null) return []
  if (quote !== null && token !== null && at !== null) {
    const native = BigInt(quote)
    const atMilliseconds = at.getTime()
    return [{ mint, native, token: BigInt(token), depth: native, atMilliseconds }]
  }
  if (price === null || tradedAt === null) return []
  const amounts = { native: BigInt(price), token: 10n ** BigInt(RATIO_DIGITS) }
  return [{ mint, ...amounts, depth: null, atMilliseconds: tradedAt.getTime() }]
}

function legOf({ mint, hub, quote, token, held, at }: PriceRow): readonly PriceInHub[] {
  if (hub === null || quote === null || token === null || at === null) return []
  const amounts = { quote: BigInt(quote), token: BigInt(token) }
  return [{ mint, hub, ...amounts, isHeld: held, atMilliseconds: at.getTime() }]
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

/** What both sides of a token's pools are worth: at least those of the way that its price leads. Null: nobody knows. */
export function liquidityOf(
  figures: Pick<MarketFigures, 'liquidity'> | undefined,
  latest: Pick<LatestPrice, 'depth' | 'hub'> | undefined,
): bigint | null {
  const own = figures?.liquidity ?? null
  if (latest === undefined || latest.hub === null || latest.depth === null) return own
  const through = 2n * latest.depth
  return own === null || own < through ? through : own
}
