import { formatAmount } from '@florin/wire/amount.ts'
import { nativeOf } from '../kernel/network-config.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { newId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import type { NewMarketEvent } from './event-store.ts'
import { priceText } from './price.ts'
import type { PriceNow } from './told-prices.ts'
import type { KnownToken } from './token-store.ts'
import type { StoredTrade, UndonePool } from './trade-store.ts'
import { usdPerToken } from './usd.ts'
import type { UsdRate } from './usd.ts'

/** Puts what markets showed into the words of events. */
export interface Sayer {
  trade(
    trade: StoredTrade,
    rate: UsdRate | null,
    more?: { readonly retracted: true },
  ): NewMarketEvent
  opened(pool: UndonePool, more?: { readonly retracted: true }): NewMarketEvent
  price(price: PriceNow, rate: UsdRate | null, height: bigint): NewMarketEvent
}

/** `tokens` holds every token that will be spoken of. */
export function openSayer({
  config,
  tokens,
  random,
  nowMilliseconds,
}: {
  readonly config: NetworkConfig
  readonly tokens: ReadonlyMap<string, KnownToken>
  readonly random: Random
  readonly nowMilliseconds: number
}): Sayer {
  const native = nativeOf(config).decimals
  const more = config.sandbox ? { sandbox: true as const } : {}

  function tokenOf(mint: string): KnownToken {
    const token = tokens.get(mint)
    if (token === undefined) throw new Error('a market is stored with its token')
    return token
  }

  function event(type: NewMarketEvent['type'], mint: string, data: object): NewMarketEvent {
    const dataText = JSON.stringify({ network: config.network, mint, ...data, ...more })
    const eventId = newId(random, 'evt')
    return { eventId, type, mint, dataText, atMilliseconds: nowMilliseconds }
  }

  function pricesOf(token: KnownToken, ratio: bigint, rate: UsdRate | null) {
    return {
      price: priceText(ratio, { native, token: token.decimals }),
      priceUsd: usdPerToken(ratio, token.decimals, rate),
    }
  }

  return {
    trade: (trade, rate, retraction) => {
      const token = tokenOf(trade.mint)
      return event('trade', trade.mint, {
        symbol: token.symbol,
        venue: trade.venue,
        market: trade.market,
        side: trade.side,
        trader: trade.trader,
        nativeAmount: formatAmount(trade.nativeAmount, native),
        nativeAmountBaseUnits: trade.nativeAmount.toString(),
        tokenAmount: formatAmount(trade.tokenAmount, token.decimals),
        tokenAmountBaseUnits: trade.tokenAmount.toString(),
        ...pricesOf(token, trade.price, rate),
        signature: trade.transactionHash,
        effectIndex: trade.effectIndex,
        blockHeight: trade.height.toString(),
        blockTime: trade.timeMilliseconds,
        ...retraction,
      })
    },
    opened: (pool, retraction) => {
      const { symbol, name, decimals } = tokenOf(pool.mint)
      return event('newToken', pool.mint, {
        ...{ symbol, name, decimals },
        venue: pool.venue,
        market: pool.market,
        creator: pool.creator,
        signature: pool.transactionHash,
        blockHeight: pool.height.toString(),
        blockTime: pool.timeMilliseconds,
        ...retraction,
      })
    },
    price: ({ mint, ratio }, rate, height) => {
      const token = tokenOf(mint)
      return event('priceUpdate', mint, {
        symbol: token.symbol,
        ...pricesOf(token, ratio, rate),
        blockHeight: height.toString(),
      })
    },
  }
}
