import { call } from './call.ts'
import type { CallOptions, IntentOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { BuildBuyAnswer, BuildBuyBody } from './contract/build-buy.ts'
import type { BuildSellAnswer, BuildSellBody } from './contract/build-sell.ts'
import type { BuyTokenAnswer, BuyTokenBody } from './contract/buy-token.ts'
import type { GetTradeAnswer } from './contract/get-trade.ts'
import type { QuoteTradeAnswer, QuoteTradeQuery } from './contract/quote-trade.ts'
import type { SellTokenAnswer, SellTokenBody } from './contract/sell-token.ts'
import type { TradeHistoryAnswer, TradeHistoryQuery } from './contract/trade-history.ts'
import { limits } from './limits.ts'
import { waitFor } from './wait-for.ts'
import type { WaitOptions } from './wait-for.ts'

export type TradeRecord = GetTradeAnswer
export type ListedTrade = TradeHistoryAnswer['trades'][number]

/** Tokens for native currency, and back. */
export interface Trades {
  /** What would come out now. A forecast: nothing is reserved. */
  quote(query: QuoteTradeQuery, options?: CallOptions): Promise<QuoteTradeAnswer>
  /** Buys from a wallet that the service holds, once, however often the request has to be repeated. `pending` is not a failure. */
  buy(order: BuyTokenBody, options?: IntentOptions): Promise<BuyTokenAnswer>
  /** Sells from such a wallet: an amount, a part such as `50%`, or everything. */
  sell(order: SellTokenBody, options?: IntentOptions): Promise<SellTokenAnswer>
  /** Builds a buy that your own wallet signs. */
  buildBuy(order: BuildBuyBody, options?: IntentOptions): Promise<BuildBuyAnswer>
  /** Builds a sale that your own wallet signs; an `approval` in it is to be signed and sent first. */
  buildSell(order: BuildSellBody, options?: IntentOptions): Promise<BuildSellAnswer>
  /** The record of a trade and where it stands. */
  get(tradeId: string, options?: CallOptions): Promise<TradeRecord>
  /** Everything that a wallet has traded, newest first, page after page as it is read. */
  history(
    publicKey: string,
    query?: Omit<TradeHistoryQuery, 'cursor'>,
    options?: CallOptions,
  ): AsyncGenerator<ListedTrade, void, undefined>
  /**
   * Looks at a trade until it has come so far, `settled` unless told otherwise.
   * @throws {FlorinError} PAYMENT_ENDED when it failed or expired; WAIT_OVER when it is still under way.
   */
  wait(tradeId: string, options?: WaitOptions<TradeRecord>): Promise<TradeRecord>
}

export function trades(connection: Connection): Trades {
  const get: Trades['get'] = (tradeId, options) =>
    call(connection, 'getTrade', { parts: { tradeId } }, options)
  return {
    quote: (query, options) => call(connection, 'quoteTrade', { query }, options),
    buy: (body, options) => {
      const waitSeconds = body.timeout ?? limits.sendWaitSeconds
      return call(connection, 'buyToken', { body }, { ...options, waitSeconds })
    },
    sell: (body, options) => {
      const waitSeconds = body.timeout ?? limits.sendWaitSeconds
      return call(connection, 'sellToken', { body }, { ...options, waitSeconds })
    },
    buildBuy: (body, options) => call(connection, 'buildBuy', { body }, options),
    buildSell: (body, options) => call(connection, 'buildSell', { body }, options),
    get,
    async *history(publicKey, query = {}, options) {
      let cursor: string | null | undefined
      while (cursor !== null) {
        const page: TradeHistoryAnswer = await call(
          connection,
          'tradeHistory',
          { parts: { publicKey }, query: { ...query, cursor } },
          options,
        )
        yield* page.trades
        cursor = page.nextCursor
      }
    },
    wait: (tradeId, options) => waitFor(connection, () => get(tradeId, options), options),
  }
}
