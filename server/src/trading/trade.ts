import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { Quote, TradedToken, TradeSide, VenueName } from '../chains/venue.ts'
import type { AccountId, PaymentId, TradeId } from '../kernel/id.ts'

/** A trade as the database holds it; where it stands is its payment's affair. */
export interface Trade {
  readonly id: TradeId
  readonly accountId: AccountId
  readonly paymentId: PaymentId
  readonly side: TradeSide
  readonly network: NetworkId
  readonly walletAddress: Address
  readonly token: TradedToken
  readonly nativeDecimals: number
  readonly venue: VenueName
  /** Base units of what goes in, as it was signed. */
  readonly amountIn: bigint
  /** The same as the market really took it: less where its liquidity ended. Null until it was seen. */
  readonly taken: bigint | null
  /** Base units of what comes out: as quoted, the least that the chain may give, and what it really gave. */
  readonly quotedOut: bigint
  readonly minimumOut: bigint
  readonly received: bigint | null
  /** Native base units that its transaction really paid to be included sooner, an allowance before it apart. Null until that was seen. */
  readonly priorityFeeUsed: bigint | null
  /** Percent, decimal text. */
  readonly slippage: string
  readonly priceImpactBasisPoints: bigint | null
  readonly quotedHeight: bigint
  readonly route: Readonly<Record<string, string>>
}

/** A trade before anything came of it. */
export function tradeOf(
  quote: Quote,
  rest: Pick<
    Trade,
    | 'id'
    | 'accountId'
    | 'paymentId'
    | 'network'
    | 'walletAddress'
    | 'nativeDecimals'
    | 'minimumOut'
    | 'slippage'
  >,
): Trade {
  return {
    ...rest,
    side: quote.side,
    token: quote.token,
    venue: quote.venue,
    amountIn: quote.amountIn,
    quotedOut: quote.amountOut,
    received: null,
    taken: null,
    priorityFeeUsed: null,
    priceImpactBasisPoints: quote.priceImpactBasisPoints,
    quotedHeight: quote.height,
    route: quote.route,
  }
}

/** What was quoted, as its venue reads it back. */
export function quoteOf(trade: Trade): Quote {
  return {
    side: trade.side,
    token: trade.token,
    amountIn: trade.amountIn,
    venue: trade.venue,
    amountOut: trade.quotedOut,
    priceImpactBasisPoints: trade.priceImpactBasisPoints,
    height: trade.quotedHeight,
    expiresAtMilliseconds: null,
    route: trade.route,
  }
}
