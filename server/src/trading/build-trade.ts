import type { Static } from 'typebox'
import { baseUnits } from '@florin/wire/amount.ts'
import type { TradeBuildAnswer } from '@florin/wire/trade.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import type { PreparedTrade, TradeBuilder, TradeBuildOrder } from '../sender/trade-builder.ts'
import type { Store } from '../store/postgres.ts'
import { fitSwap } from './fit-swap.ts'
import type { SwapWish } from './fit-swap.ts'
import { nativeOf } from '../kernel/network-config.ts'
import { quoteOf, tradeOf } from './trade.ts'
import { findTradeOf, insertTrade } from './trade-store.ts'
import { estimateFields } from './view.ts'

export interface BuildTradeDeps {
  readonly store: Store
  readonly builder: TradeBuilder
  readonly random: Random
}

/** A trade for a wallet of somebody else's, as the door has parsed it. */
export type TradeBuildWish = SwapWish & Pick<TradeBuildOrder, 'accountId' | 'operation' | 'once'>

/** Builds a trade that its own wallet signs. Nothing is signed and nothing is held; a refusal means that nothing was stored. */
export async function buildTrade(
  { store, builder, random }: BuildTradeDeps,
  wish: TradeBuildWish,
): Promise<{ readonly body: Static<typeof TradeBuildAnswer>; readonly replayed: boolean }> {
  const { accountId } = wish
  const { paymentId, fields, approval, replayed } = await builder.build({
    ...wish,
    sender: wish.walletAddress,
    prepared: (id) => prepareTrade(random, wish, id),
  })
  const trade = await store.inTransaction(accountId, (tx) => findTradeOf(tx, accountId, paymentId))
  if (trade === undefined) throw new Error('a build that carries a trade has none')
  return {
    replayed,
    body: {
      tradeId: trade.id,
      ...fields,
      ...estimateFields(quoteOf(trade), trade),
      ...(approval === null ? {} : { approval }),
    },
  }
}

async function prepareTrade(
  random: Random,
  wish: TradeBuildWish,
  paymentId: PaymentId,
): Promise<PreparedTrade> {
  const { accountId, chain, walletAddress, slippage } = wish
  const { outcome, quote, minimumOut, commitment } = await fitSwap(
    wish,
    random,
    (venue, swap) => venue.prepare(swap),
    ({ preparation }) => preparation.balances.asset,
  )
  const trade = tradeOf(quote, {
    ...{ accountId, paymentId, walletAddress, slippage, minimumOut },
    id: newId(random, 'trd'),
    network: chain.config.network,
    nativeDecimals: nativeOf(chain.config).decimals,
  })
  return {
    tradeId: trade.id,
    recipient: outcome.counterparty,
    amount: baseUnits(quote.amountIn),
    preparation: outcome.preparation,
    allowance: outcome.allowance,
    commitment,
    beside: (tx, nowMilliseconds) => insertTrade(tx, trade, nowMilliseconds),
  }
}
