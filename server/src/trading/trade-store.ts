import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { TradeSide, VenueName } from '../chains/venue.ts'
import type { AccountId, PaymentId, TradeId } from '../kernel/id.ts'
import type { Proceeds, TradeBook } from '../sender/trade-book.ts'
import type { Position } from '../kernel/position.ts'
import type { Tx } from '../store/postgres.ts'
import type { Trade } from './trade.ts'

interface TradeRow {
  readonly id: TradeId
  readonly account_id: AccountId
  readonly payment_id: PaymentId
  readonly side: TradeSide
  readonly network: NetworkId
  readonly wallet_address: Address
  readonly mint: Address
  readonly symbol: string | null
  readonly token_decimals: number
  readonly native_decimals: number
  readonly venue: VenueName
  readonly amount_in: string
  readonly quoted_out: string
  readonly minimum_out: string
  readonly received: string | null
  readonly taken: string | null
  readonly priority_fee_used: string | null
  readonly slippage: string
  readonly price_impact_basis_points: string | null
  readonly quoted_height: string
  readonly route: Readonly<Record<string, string>>
}

const COLUMNS = `id, account_id, payment_id, side, network, wallet_address, mint, symbol, token_decimals, native_decimals, venue,
  amount_in, quoted_out, minimum_out, received, taken, priority_fee_used, trim_scale(slippage)::text as slippage, price_impact_basis_points,
  quoted_height, route`

// The rows were written by this file from branded values; reading them back restores the brands.
function tradeOf(row: TradeRow): Trade {
  return {
    id: row.id,
    accountId: row.account_id,
    paymentId: row.payment_id,
    side: row.side,
    network: row.network,
    walletAddress: row.wallet_address,
    token: { mint: row.mint, decimals: row.token_decimals, symbol: row.symbol },
    nativeDecimals: row.native_decimals,
    venue: row.venue,
    amountIn: BigInt(row.amount_in),
    quotedOut: BigInt(row.quoted_out),
    minimumOut: BigInt(row.minimum_out),
    received: row.received === null ? null : BigInt(row.received),
    taken: row.taken === null ? null : BigInt(row.taken),
    priorityFeeUsed: row.priority_fee_used === null ? null : BigInt(row.priority_fee_used),
    slippage: row.slippage,
    priceImpactBasisPoints:
      row.price_impact_basis_points === null ? null : BigInt(row.price_impact_basis_points),
    quotedHeight: BigInt(row.quoted_height),
    route: row.route,
  }
}

export async function insertTrade(tx: Tx, trade: Trade, nowMilliseconds: number): Promise<void> {
  await tx.query(
    'trade_insert',
    `insert into trades (id, account_id, payment_id, side, network, wallet_address, mint, symbol, token_decimals, native_decimals,
       venue, amount_in, quoted_out, minimum_out, slippage, price_impact_basis_points, quoted_height, route, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, to_timestamp($19 / 1000.0))`,
    [
      trade.id,
      trade.accountId,
      trade.paymentId,
      trade.side,
      trade.network,
      trade.walletAddress,
      trade.token.mint,
      trade.token.symbol,
      trade.token.decimals,
      trade.nativeDecimals,
      trade.venue,
      trade.amountIn.toString(),
      trade.quotedOut.toString(),
      trade.minimumOut.toString(),
      trade.slippage,
      trade.priceImpactBasisPoints?.toString() ?? null,
      trade.quotedHeight.toString(),
      JSON.stringify(trade.route),
      nowMilliseconds,
    ],
  )
}

/** The account's trade; somebody else's looks like none. */
export async function findTrade(
  tx: Tx,
  accountId: AccountId,
  tradeId: TradeId,
): Promise<Trade | undefined> {
  const rows = await tx.query<TradeRow>(
    'trade_find',
    `select ${COLUMNS} from trades where account_id = $1 and id = $2`,
    [accountId, tradeId],
  )
  return rows[0] && tradeOf(rows[0])
}

/** The account's trade that a payment carries. */
export async function findTradeOf(
  tx: Tx,
  accountId: AccountId,
  paymentId: PaymentId,
): Promise<Trade | undefined> {
  const rows = await tx.query<TradeRow>(
    'trade_of_payment',
    `select ${COLUMNS} from trades where account_id = $1 and payment_id = $2`,
    [accountId, paymentId],
  )
  return rows[0] && tradeOf(rows[0])
}

/** Those of these payments that carry a trade at none of the venues. */
export async function paymentsOfOthers(
  tx: Tx,
  paymentIds: readonly PaymentId[],
  venues: readonly VenueName[],
): Promise<ReadonlySet<PaymentId>> {
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'trades_of_others',
    `select payment_id from trades where payment_id = any($1) and not (venue = any($2))`,
    [paymentIds, venues],
  )
  return new Set(rows.map((row) => row.payment_id))
}

/** Trades by their ids, whatever account they belong to: for the follower's own transaction. */
export async function tradesOf(tx: Tx, tradeIds: readonly TradeId[]): Promise<readonly Trade[]> {
  if (tradeIds.length === 0) return []
  const rows = await tx.query<TradeRow>(
    'trades_read',
    `select ${COLUMNS} from trades where id = any($1)`,
    [tradeIds],
  )
  return rows.map(tradeOf)
}

/** Of a trade `t` whose payment is settled, what it brought in is told and booked for good: where its final block is replaced, it stays. */
const IS_SETTLED = `exists (select from payments where id = t.payment_id and status = 'settled')`

/** Notes what came in, what was taken for it, and what was paid to be included sooner. */
export async function noteMined(
  tx: Tx,
  mined: readonly {
    readonly tradeId: TradeId
    /** Null: nobody could read what its transaction did, and what is known of it stays. */
    readonly received: { readonly units: bigint; readonly height: bigint } | null
    /** Null: nobody could read it. */
    readonly taken: bigint | null
    /** Null: the chain does not tell. */
    readonly priorityFeeUsed: bigint | null
  }[],
): Promise<void> {
  await tx.query(
    'trades_mined',
    `update trades t set priority_fee_used = m.priority_fee, received = coalesce(m.units, t.received),
       received_height = coalesce(m.height, t.received_height), taken = case when m.units is null then t.taken else m.taken end
     from unnest($1::text[], $2::numeric[], $3::bigint[], $4::numeric[], $5::numeric[]) as m (id, units, height, taken, priority_fee)
     where t.id = m.id and not ${IS_SETTLED}`,
    [
      mined.map(({ tradeId }) => tradeId),
      mined.map(({ received }) => received?.units.toString() ?? null),
      mined.map(({ received }) => received?.height.toString() ?? null),
      mined.map(({ taken }) => taken?.toString() ?? null),
      mined.map(({ priorityFeeUsed }) => priorityFeeUsed?.toString() ?? null),
    ],
  )
}

/** Forgets what blocks showed that are gone. Takes the rows in the order of their ids, as `holdUnbooked` does. */
export async function forgetReceived(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'trades_forget_received',
    `with known as materialized (
       select id from trades t where payment_id = any($1) and (received is not null or priority_fee_used is not null) and not ${IS_SETTLED}
       order by id for no key update)
     update trades t set received = null, received_height = null, taken = null, priority_fee_used = null from known where t.id = known.id`,
    [paymentIds],
  )
}

interface ProceedsRow {
  readonly payment_id: PaymentId
  readonly asset: string
  readonly received: string
}

const PROCEEDS = `payment_id, case side when 'buy' then mint else 'native' end as asset, received`

function proceedsOf(row: ProceedsRow): Proceeds {
  return { paymentId: row.payment_id, asset: row.asset, units: BigInt(row.received) }
}

/** Holds what came in to a wallet and is in no ledger yet until the transaction ends. */
export async function holdUnbooked(
  tx: Tx,
  { address, network }: Parameters<TradeBook['holdUnbooked']>[1],
): Promise<void> {
  await tx.query(
    'trades_hold_unbooked',
    `select from trades where wallet_address = $1 and network = $2 and received is not null and not booked
     order by id for no key update`,
    [address, network],
  )
}

/** What came in to a wallet up to the looks at it and is in no ledger yet; from here on it counts as being there. */
export async function bookUpTo(
  tx: Tx,
  wallet: Parameters<TradeBook['unbooked']>[1],
): Promise<readonly Proceeds[]> {
  const rows = await tx.query<ProceedsRow>(
    'trades_book_up_to',
    `update trades set booked = true from unnest($3::text[], $4::bigint[]) as look (of, height_max)
     where wallet_address = $1 and network = $2 and received is not null and not booked and received_height <= height_max
       and case side when 'buy' then mint else 'native' end = look.of
     returning ${PROCEEDS}`,
    [wallet.address, wallet.network, ...looksOf(wallet)],
  )
  return rows.map(proceedsOf)
}

function looksOf({ looks }: Pick<Parameters<TradeBook['unbooked']>[1], 'looks'>) {
  return [looks.map(({ asset }) => asset), looks.map(({ heightMax }) => heightMax.toString())]
}

/**
 * Takes trades of which nobody tells what they brought, up to the looks at these assets, for booked: the money that a look found is theirs,
 * too. What has been told meanwhile is given out.
 */
export async function bookUntold(
  tx: Tx,
  { untold, looks }: Pick<Parameters<TradeBook['unbooked']>[1], 'untold' | 'looks'>,
): Promise<readonly Proceeds[]> {
  if (untold.length === 0) return []
  const rows = await tx.query<Omit<ProceedsRow, 'received'> & { readonly received: string | null }>(
    'trades_book_untold',
    `update trades set booked = true
     from unnest($3::text[], $4::bigint[]) as untold (paid, height), unnest($1::text[], $2::bigint[]) as look (of, height_max)
     where payment_id = untold.paid and not booked and untold.height <= height_max
       and case side when 'buy' then mint else 'native' end = look.of
     returning ${PROCEEDS}`,
    [
      ...looksOf({ looks }),
      untold.map(({ paymentId }) => paymentId),
      untold.map(({ height }) => height.toString()),
    ],
  )
  return rows.flatMap(({ received, ...row }) =>
    received === null ? [] : [proceedsOf({ ...row, received })],
  )
}

/** What these payments brought in and is in no ledger yet; from here on it counts as being there. */
export async function bookFinal(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<readonly Proceeds[]> {
  const rows = await tx.query<ProceedsRow>(
    'trades_book_final',
    `update trades set booked = true where payment_id = any($1) and received is not null and not booked
     returning ${PROCEEDS}`,
    [paymentIds],
  )
  return rows.map(proceedsOf)
}

/** The newest trades of a wallet in the account behind a position; one more than a page shows whether another follows. */
export async function tradesOfWallet(
  tx: Tx,
  asked: {
    readonly accountId: AccountId
    readonly walletAddress: string
    readonly mint: string | null
    readonly after: Position<'trd'> | null
    readonly count: number
  },
): Promise<readonly { readonly trade: Trade; readonly position: Position<'trd'> }[]> {
  const rows = await tx.query<TradeRow & { at: string }>(
    'trades_of_wallet',
    `select ${COLUMNS}, (extract(epoch from created_at) * 1000000)::bigint as at from trades
     where account_id = $1 and wallet_address = $2 and ($3::text is null or mint = $3)
       and ($4::bigint is null
         or (created_at, id) < ('epoch'::timestamptz + $4::bigint * interval '1 microsecond', $5))
     order by created_at desc, id desc limit $6`,
    [
      asked.accountId,
      asked.walletAddress,
      asked.mint,
      asked.after?.atMicroseconds.toString() ?? null,
      asked.after?.id ?? null,
      asked.count,
    ],
  )
  return rows.map((row) => ({
    trade: tradeOf(row),
    position: { atMicroseconds: BigInt(row.at), id: row.id },
  }))
}
