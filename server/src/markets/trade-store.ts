import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { MarketOpened, MarketReserves, MarketTrade } from '../chains/market.ts'
import type { TradeSide, VenueName } from '../chains/venue.ts'
import type { Tx } from '../store/postgres.ts'
import type { Ratio } from './price.ts'

/** A trade with the price of its market after it. */
export type PricedTrade = MarketTrade & { readonly price: Ratio }

/** What a trade's row says to those who only read. */
export interface StoredTrade {
  readonly mint: Address
  readonly market: Address
  readonly venue: VenueName
  readonly side: TradeSide
  readonly trader: Address
  readonly nativeAmount: bigint
  readonly tokenAmount: bigint
  readonly price: Ratio
  readonly transactionHash: TransactionHash
  readonly effectIndex: number
  readonly height: bigint
  readonly timeMilliseconds: number
}

interface TradeRow {
  readonly mint: Address
  readonly market: Address
  readonly venue: VenueName
  readonly side: TradeSide
  readonly trader: Address
  readonly native_amount: string
  readonly token_amount: string
  readonly price: string
  readonly transaction_hash: TransactionHash
  readonly effect_index: number
  readonly height: string
  readonly traded_at: Date
}

const COLUMNS = `mint, market, venue, side, trader, native_amount, token_amount, price, transaction_hash,
  effect_index, height, traded_at`

function tradeOf(row: TradeRow): StoredTrade {
  const { mint, market, venue, side, trader } = row
  return {
    ...{ mint, market, venue, side, trader },
    nativeAmount: BigInt(row.native_amount),
    tokenAmount: BigInt(row.token_amount),
    price: BigInt(row.price),
    transactionHash: row.transaction_hash,
    effectIndex: row.effect_index,
    height: BigInt(row.height),
    timeMilliseconds: row.traded_at.getTime(),
  }
}

/** Stores trades in their order; gives those that were not there. */
export async function storeTrades(
  tx: Tx,
  network: NetworkId,
  trades: readonly PricedTrade[],
): Promise<readonly StoredTrade[]> {
  if (trades.length === 0) return []
  const rows = await tx.query<TradeRow>(
    'market_trades_store',
    `insert into market_trades (network, mint, market, venue, side, trader, native_amount, token_amount,
       price, transaction_hash, effect_index, height, traded_at)
     select $1, t.mint, t.market, t.venue, t.side, t.trader, t.native, t.token, t.price, t.hash, t.effect,
       t.height, to_timestamp(t.at / 1000.0)
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::numeric[],
       $9::numeric[], $10::text[], $11::int[], $12::bigint[], $13::bigint[]) with ordinality
       as t(mint, market, venue, side, trader, native, token, price, hash, effect, height, at, place)
     order by t.place
     on conflict (network, transaction_hash, effect_index, mint) do nothing
     returning ${COLUMNS}`,
    [
      network,
      trades.map(({ mint }) => mint),
      trades.map(({ market }) => market),
      trades.map(({ venue }) => venue),
      trades.map(({ side }) => side),
      trades.map(({ trader }) => trader),
      trades.map(({ nativeAmount }) => nativeAmount.toString()),
      trades.map(({ tokenAmount }) => tokenAmount.toString()),
      trades.map(({ price }) => price.toString()),
      trades.map(({ transactionHash }) => transactionHash),
      trades.map(({ effectIndex }) => effectIndex),
      trades.map(({ height }) => height.toString()),
      trades.map(({ timeMilliseconds }) => timeMilliseconds),
    ],
  )
  return rows.map(tradeOf)
}

/** Stores markets that opened; gives the transactions of those that were not there. */
export async function storePools(
  tx: Tx,
  network: NetworkId,
  pools: readonly MarketOpened[],
): Promise<ReadonlySet<string>> {
  if (pools.length === 0) return new Set()
  const rows = await tx.query<{ market: string; mint: string }>(
    'market_pools_store',
    `insert into market_pools (network, market, mint, venue, creator, transaction_hash, height, opened_at)
     select $1, p.market, p.mint, p.venue, p.creator, p.hash, p.height, to_timestamp(p.at / 1000.0)
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
       as p(market, mint, venue, creator, hash, height, at)
     on conflict (network, market, mint) do nothing returning market, mint`,
    [
      network,
      pools.map(({ market }) => market),
      pools.map(({ mint }) => mint),
      pools.map(({ venue }) => venue),
      pools.map(({ creator }) => creator),
      pools.map(({ transactionHash }) => transactionHash),
      pools.map(({ height }) => height.toString()),
      pools.map(({ timeMilliseconds }) => timeMilliseconds),
    ],
  )
  return new Set(rows.map(({ market, mint }) => `${market} ${mint}`))
}

/** Stores what pools held after their blocks: of one pool and block the last in order. */
export async function storeReserves(
  tx: Tx,
  network: NetworkId,
  reserves: readonly MarketReserves[],
): Promise<void> {
  const last = [
    ...new Map(reserves.map((one) => [`${one.mint} ${one.market} ${one.height}`, one])).values(),
  ]
  if (last.length === 0) return
  await tx.query(
    'market_reserves_store',
    `insert into market_reserves (network, market, mint, height, native, token, at)
     select $1, r.market, r.mint, r.height, r.native, r.token, to_timestamp(r.at / 1000.0)
     from unnest($2::text[], $3::text[], $4::bigint[], $5::numeric[], $6::numeric[], $7::bigint[])
       as r(market, mint, height, native, token, at)
     on conflict (network, mint, market, height) do update set native = excluded.native, token = excluded.token`,
    [
      network,
      last.map(({ market }) => market),
      last.map(({ mint }) => mint),
      last.map(({ height }) => height.toString()),
      last.map(({ native }) => native.toString()),
      last.map(({ token }) => token.toString()),
      last.map(({ timeMilliseconds }) => timeMilliseconds),
    ],
  )
}

/** A market that a reorg took away. */
export interface UndonePool {
  readonly mint: Address
  readonly market: Address
  readonly venue: VenueName
  readonly creator: Address | null
  readonly transactionHash: TransactionHash
  readonly height: bigint
  readonly timeMilliseconds: number
}

/** Removes everything above a height, and says what it was. */
export async function undoMarkets(
  tx: Tx,
  network: NetworkId,
  above: bigint,
): Promise<{
  readonly trades: readonly StoredTrade[]
  readonly pools: readonly UndonePool[]
  readonly repriced: readonly Address[]
}> {
  const values = [network, above.toString()]
  const trades = await tx.query<TradeRow>(
    'market_trades_undo',
    `delete from market_trades where network = $1 and height > $2 returning ${COLUMNS}`,
    values,
  )
  const pools = await tx.query<{
    mint: Address
    market: Address
    venue: VenueName
    creator: Address | null
    transaction_hash: TransactionHash
    height: string
    opened_at: Date
  }>(
    'market_pools_undo',
    `delete from market_pools where network = $1 and height > $2
     returning mint, market, venue, creator, transaction_hash, height, opened_at`,
    values,
  )
  const reserves = await tx.query<{ mint: Address }>(
    'market_reserves_undo',
    `with held as (delete from market_reserves where network = $1 and height > $2 returning mint),
       shown as (delete from market_hub_states where network = $1 and height > $2 returning mint)
     select mint from held union select mint from shown`,
    values,
  )
  return {
    trades: trades.map(tradeOf),
    pools: pools.map(({ transaction_hash: transactionHash, height, opened_at: at, ...pool }) => ({
      ...pool,
      transactionHash,
      height: BigInt(height),
      timeMilliseconds: at.getTime(),
    })),
    repriced: [...new Set([...trades, ...reserves].map(({ mint }) => mint))],
  }
}

/** Forgets reserves that newer final ones have replaced, and what pools with a hub showed: of each at most `count`. Says the greater number. */
export async function forgetReserves(
  tx: Tx,
  network: NetworkId,
  finalizedHeight: bigint,
  count: number,
): Promise<number> {
  const [removed] = await tx.query<{ count: string }>(
    'market_reserves_forget',
    `with shown as (delete from market_hub_states where ctid in (
       select old.ctid from market_hub_states old where old.network = $1 and old.height < $2 and exists (
         select from market_hub_states newer where newer.network = $1 and newer.mint = old.mint
           and newer.market = old.market and newer.height > old.height and newer.height <= $2)
       limit $3) returning 1),
     held as (delete from market_reserves where ctid in (
       select old.ctid from market_reserves old where old.network = $1 and old.height < $2 and exists (
         select from market_reserves newer where newer.network = $1 and newer.mint = old.mint
           and newer.market = old.market and newer.height > old.height and newer.height <= $2)
       limit $3) returning 1)
     select greatest((select count(*) from shown), (select count(*) from held)) as count`,
    [network, finalizedHeight.toString(), count],
  )
  return Number(removed?.count)
}

/** Forgets trades that are older, the oldest first, and what pools with a hub last traded then: of each at most `count`. Says the greater number. */
export async function forgetTrades(
  tx: Tx,
  beforeMilliseconds: number,
  count: number,
): Promise<number> {
  const [removed] = await tx.query<{ count: string }>(
    'market_trades_forget',
    `with shown as (delete from market_hub_states where ctid in (
       select ctid from market_hub_states where not held and at < to_timestamp($1 / 1000.0) order by at limit $2) returning 1),
     traded as (delete from market_trades where id = any(array(
       select id from market_trades where traded_at < to_timestamp($1 / 1000.0) order by traded_at limit $2)) returning 1)
     select greatest((select count(*) from shown), (select count(*) from traded)) as count`,
    [beforeMilliseconds, count],
  )
  return Number(removed?.count)
}

/** The newest trades of a token, the newest first. */
export async function newestTrades(
  tx: Tx,
  network: NetworkId,
  mint: string,
  count: number,
): Promise<readonly StoredTrade[]> {
  const rows = await tx.query<TradeRow>(
    'market_trades_newest',
    `select ${COLUMNS} from market_trades where network = $1 and mint = $2
     order by height desc, id desc limit $3`,
    [network, mint, count],
  )
  return rows.map(tradeOf)
}
