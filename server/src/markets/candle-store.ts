import type { NetworkId } from '@florin/wire/network.ts'
import type { Tx } from '../store/postgres.ts'
import type { Ratio } from './price.ts'

/** What a token's price did in one stretch of time. Prices are ratios, volumes base units. */
export interface StoredCandle {
  readonly startMilliseconds: number
  readonly open: Ratio
  readonly high: Ratio
  readonly low: Ratio
  readonly close: Ratio
  readonly nativeVolume: bigint
  readonly tokenVolume: bigint
  readonly trades: number
}

/** A moment at which a token was traded, or is no longer. */
export interface TradedAt {
  readonly mint: string
  readonly timeMilliseconds: number
}

const MINUTE = 60
/** Candles that are kept, each made of the one before; others are made of these when somebody asks. */
const LEVELS = [
  { seconds: 3_600, of: MINUTE },
  { seconds: 86_400, of: 3_600 },
] as const

/** Makes the candles anew that hold these moments: after new trades, and after a reorg took some away. */
export async function remakeCandles(
  tx: Tx,
  network: NetworkId,
  moments: readonly TradedAt[],
): Promise<void> {
  if (moments.length === 0) return
  const minutes = bucketsOf(moments, MINUTE)
  await clearCandles(tx, network, minutes, MINUTE)
  await tx.query(
    'candles_of_trades',
    `insert into market_candles (network, mint, seconds, start_at, open, high, low, close, native_volume,
       token_volume, trades)
     select $1, b.mint, 60, to_timestamp(b.start), (array_agg(t.price order by t.height, t.id))[1], max(t.price),
       min(t.price), (array_agg(t.price order by t.height desc, t.id desc))[1], sum(t.native_amount),
       sum(t.token_amount), count(*)
     from unnest($2::text[], $3::bigint[]) as b(mint, start)
     join market_trades t on t.network = $1 and t.mint = b.mint and t.traded_at >= to_timestamp(b.start)
       and t.traded_at < to_timestamp(b.start + 60)
     group by b.mint, b.start`,
    [network, minutes.map(({ mint }) => mint), minutes.map(({ start }) => start)],
  )
  for (const { seconds, of } of LEVELS) {
    const buckets = bucketsOf(moments, seconds)
    await clearCandles(tx, network, buckets, seconds)
    await tx.query(
      'candles_of_candles',
      `insert into market_candles (network, mint, seconds, start_at, open, high, low, close, native_volume,
         token_volume, trades)
       select $1, b.mint, $4::int, to_timestamp(b.start), (array_agg(c.open order by c.start_at))[1], max(c.high),
         min(c.low), (array_agg(c.close order by c.start_at desc))[1], sum(c.native_volume),
         sum(c.token_volume), sum(c.trades)::bigint
       from unnest($2::text[], $3::bigint[]) as b(mint, start)
       join market_candles c on c.network = $1 and c.mint = b.mint and c.seconds = $5::int
         and c.start_at >= to_timestamp(b.start) and c.start_at < to_timestamp(b.start + $4::int)
       group by b.mint, b.start`,
      [network, buckets.map(({ mint }) => mint), buckets.map(({ start }) => start), seconds, of],
    )
  }
}

function bucketsOf(moments: readonly TradedAt[], seconds: number) {
  const buckets = moments.map(({ mint, timeMilliseconds }) => ({
    mint,
    start: Math.floor(timeMilliseconds / 1000 / seconds) * seconds,
  }))
  return [...new Map(buckets.map((bucket) => [`${bucket.mint} ${bucket.start}`, bucket])).values()]
}

async function clearCandles(
  tx: Tx,
  network: NetworkId,
  buckets: readonly { readonly mint: string; readonly start: number }[],
  seconds: number,
): Promise<void> {
  await tx.query(
    'candles_clear',
    `delete from market_candles c using unnest($2::text[], $3::bigint[]) as b(mint, start)
     where c.network = $1 and c.mint = b.mint and c.seconds = $4 and c.start_at = to_timestamp(b.start)`,
    [network, buckets.map(({ mint }) => mint), buckets.map(({ start }) => start), seconds],
  )
}

/**
 * A token's candles of so many seconds that begin in [from, to), oldest first; of more than `count` the newest. A stretch without a trade has
 * none.
 */
export async function readCandles(
  tx: Tx,
  {
    network,
    mint,
    seconds,
    fromMilliseconds,
    toMilliseconds,
    count,
  }: {
    readonly network: NetworkId
    readonly mint: string
    readonly seconds: number
    readonly fromMilliseconds: number
    readonly toMilliseconds: number
    readonly count: number
  },
): Promise<readonly StoredCandle[]> {
  const kept = LEVELS.findLast((level) => seconds % level.seconds === 0)?.seconds ?? MINUTE
  const rows = await tx.query<{
    start: string
    open: string
    high: string
    low: string
    close: string
    native_volume: string
    token_volume: string
    trades: string
  }>(
    'candles_read',
    `select extract(epoch from start)::bigint as start, (array_agg(open order by start_at))[1] as open,
       max(high) as high, min(low) as low, (array_agg(close order by start_at desc))[1] as close,
       sum(native_volume) as native_volume, sum(token_volume) as token_volume, sum(trades)::bigint as trades
     from (select *, date_bin(make_interval(secs => $3), start_at, 'epoch'::timestamptz) as start
       from market_candles where network = $1 and mint = $2 and seconds = $4
         and start_at >= to_timestamp($5 / 1000.0) and start_at < to_timestamp($6 / 1000.0)) parts
     group by start order by start desc limit $7`,
    [network, mint, seconds, kept, fromMilliseconds, toMilliseconds, count],
  )
  return rows
    .map((row) => ({
      startMilliseconds: Number(row.start) * 1000,
      open: BigInt(row.open),
      high: BigInt(row.high),
      low: BigInt(row.low),
      close: BigInt(row.close),
      nativeVolume: BigInt(row.native_volume),
      tokenVolume: BigInt(row.token_volume),
      trades: Number(row.trades),
    }))
    .toReversed()
}

/** Forgets candles of that length that began before, at most `count` at a time. Says how many. */
export async function forgetCandles(
  tx: Tx,
  seconds: number,
  beforeMilliseconds: number,
  count: number,
): Promise<number> {
  const removed = await tx.query(
    'candles_forget',
    `delete from market_candles where ctid in (select ctid from market_candles
       where seconds = $1 and start_at < to_timestamp($2 / 1000.0) order by start_at limit $3)
     returning 1`,
    [seconds, beforeMilliseconds, count],
  )
  return removed.length
}
