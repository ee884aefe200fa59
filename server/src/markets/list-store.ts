import type { NetworkId } from '@florin/wire/network.ts'
import type { Tx } from '../store/postgres.ts'
import type { MarketFigures } from './price-store.ts'

/** What markets showed of tokens lately. */
export async function figuresOfTokens(
  tx: Tx,
  network: NetworkId,
  mints: readonly string[],
  dayAgoMilliseconds: number,
): Promise<ReadonlyMap<string, MarketFigures>> {
  const rows = await tx.query<{
    mint: string
    liquidity: string | null
    volume: string | null
    seen: boolean
    close: string | null
  }>(
    'market_figures_of_tokens',
    `select m.mint, pools.liquidity, day.volume, before.close, known.mint is not null and (
         not exists (select from market_hub_states where network = $1 and mint = m.mint)
         or exists (select from market_pools where network = $1 and mint = m.mint)
         or exists (select from market_reserves where network = $1 and mint = m.mint)
         or exists (select from market_trades where network = $1 and mint = m.mint)) as seen
     from unnest($2::text[]) as m(mint)
     left join market_tokens known on known.network = $1 and known.mint = m.mint
     left join lateral (select sum(native) * 2 as liquidity from (
         select distinct on (market) native from market_reserves
         where network = $1 and mint = m.mint order by market, height desc) newest) pools on true
     left join lateral (select sum(native_volume) as volume from market_candles
       where network = $1 and mint = m.mint and seconds = 60 and start_at > to_timestamp($3 / 1000.0)) day on true
     left join lateral (select close from market_candles
       where network = $1 and mint = m.mint and seconds = 60 and start_at <= to_timestamp($3 / 1000.0 - 60)
       order by start_at desc limit 1) before on true`,
    [network, mints, dayAgoMilliseconds],
  )
  return new Map(
    rows.map(({ mint, liquidity, volume, seen, close }) => [
      mint,
      {
        liquidity: liquidity === null ? null : BigInt(liquidity),
        dayVolume: volume === null ? (seen ? 0n : null) : BigInt(volume),
        dayAgo: close === null ? null : BigInt(close),
      },
    ]),
  )
}
