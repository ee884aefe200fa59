import { formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { Quote } from '../chains/venue.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { CarriedState } from '../sender/carrier.ts'
import { percentText, priceOf, slippageUsed } from './slippage.ts'
import type { Trade } from './trade.ts'

/** What the answers of buying and selling, and the record, share. */
function tradeFacts(trade: Trade, state: CarriedState) {
  const { token, nativeDecimals, priceImpactBasisPoints: impact } = trade
  const received = receivedOf(trade, state)
  const went = wentIn(trade, state)
  const [inDecimals, outDecimals] = decimalsOf(trade)
  const inNative = (units: bigint | null) => (units === null ? null : number(units, nativeDecimals))
  return {
    tradeId: trade.id,
    paymentId: trade.paymentId,
    signature: state.hash,
    publicKey: trade.walletAddress,
    network: trade.network,
    mint: token.mint,
    symbol: token.symbol,
    amount: number(went, inDecimals),
    amountBaseUnits: went.toString(),
    ...(went === trade.amountIn
      ? {}
      : {
          offered: number(trade.amountIn, inDecimals),
          offeredBaseUnits: trade.amountIn.toString(),
        }),
    minimumReceived: number(trade.minimumOut, outDecimals),
    minimumReceivedBaseUnits: trade.minimumOut.toString(),
    effectivePrice:
      received === null ? null : new RawJson(priceText({ ...trade, amountIn: went }, received)),
    slippage: new RawJson(trade.slippage),
    slippageUsed:
      received === null ? null : new RawJson(slippageUsed(quotedFor(trade, went), received)),
    priceImpact: impact === null ? null : new RawJson(percentText(impact)),
    priorityFeeUsed: inNative(seenOnly(trade.priorityFeeUsed, state)),
    fee: inNative(state.feePaid),
    venue: trade.venue,
    status: state.status,
    blockHeight: state.blockHeight === null ? null : Number(state.blockHeight),
    ...sandboxField(state.sandbox),
  }
}

/** The answer to a buy. */
export function boughtFields(trade: Trade, state: CarriedState, config: NetworkConfig) {
  return { ...tradeFacts(trade, state), ...bought(trade, state), ...confirmation(config) }
}

/** The answer to a sale. */
export function soldFields(trade: Trade, state: CarriedState, config: NetworkConfig) {
  return { ...tradeFacts(trade, state), ...sold(trade, state), ...confirmation(config) }
}

/** The record of a trade. */
export function recordFields(trade: Trade, state: CarriedState) {
  return {
    ...tradeFacts(trade, state),
    side: trade.side,
    ...(trade.side === 'buy' ? bought(trade, state) : sold(trade, state)),
    createdAt: state.createdAtMilliseconds,
    confirmedAt: state.confirmedAtMilliseconds,
    settledAt: state.settledAtMilliseconds,
    ...(state.endedAtMilliseconds === undefined ? {} : { endedAt: state.endedAtMilliseconds }),
    ...(state.isBuilt ? { selfCustody: true as const } : {}),
    ...(state.failure === null ? {} : { failure: state.failure }),
  }
}

/** What would come out, for answers before anything has. */
export function estimateFields(
  quote: Quote,
  rest: { readonly minimumOut: bigint; readonly slippage: string; readonly nativeDecimals: number },
) {
  const { side, token, amountOut, priceImpactBasisPoints: impact } = quote
  const isBuy = side === 'buy'
  const outDecimals = isBuy ? token.decimals : rest.nativeDecimals
  const estimate = number(amountOut, outDecimals)
  const price = priceText({ ...quote, nativeDecimals: rest.nativeDecimals }, amountOut)
  return {
    ...(isBuy ? { estimatedTokensReceived: estimate } : { estimatedReceived: estimate }),
    estimatedBaseUnits: amountOut.toString(),
    estimatedPrice: new RawJson(price),
    priceImpact: impact === null ? null : new RawJson(percentText(impact)),
    minimumReceived: number(rest.minimumOut, outDecimals),
    minimumReceivedBaseUnits: rest.minimumOut.toString(),
    slippage: new RawJson(rest.slippage),
    venue: quote.venue,
  }
}

/** The answer to a question for a price. */
export function quoteFields(
  quote: Quote,
  rest: Parameters<typeof estimateFields>[1],
  config: NetworkConfig,
) {
  const { side, token, amountIn } = quote
  return {
    side,
    network: config.network,
    mint: token.mint,
    symbol: token.symbol,
    decimals: token.decimals,
    amount: number(amountIn, side === 'buy' ? rest.nativeDecimals : token.decimals),
    amountBaseUnits: amountIn.toString(),
    ...estimateFields(quote, rest),
    quotedHeight: Number(quote.height),
    expiresAt: quote.expiresAtMilliseconds,
    ...sandboxField(config.sandbox),
  }
}

function bought(trade: Trade, state: CarriedState) {
  const { token } = trade
  const received = receivedOf(trade, state)
  return {
    tokensReceived: received === null ? null : number(received, token.decimals),
    tokensReceivedBaseUnits: received === null ? null : received.toString(),
  }
}

function sold(trade: Trade, state: CarriedState) {
  const { token, nativeDecimals } = trade
  const received = receivedOf(trade, state)
  const went = wentIn(trade, state)
  return {
    tokensSold: number(went, token.decimals),
    tokensSoldBaseUnits: went.toString(),
    received: received === null ? null : number(received, nativeDecimals),
    receivedBaseUnits: received === null ? null : received.toString(),
  }
}

/** The two were read one after the other: nothing came in with a block that is not known to stand. */
function receivedOf({ received }: Trade, state: CarriedState): bigint | null {
  return seenOnly(received, state)
}

function seenOnly(units: bigint | null, { status }: CarriedState): bigint | null {
  return status === 'confirmed' || status === 'settled' ? units : null
}

/** What was offered, until it is known what was taken of it. */
function wentIn({ amountIn, taken }: Trade, { status }: CarriedState): bigint {
  return status === 'confirmed' || status === 'settled' ? (taken ?? amountIn) : amountIn
}

/** What the quote makes of the part that was taken, rounded up; 1 at least, so that it can be divided by. */
function quotedFor({ quotedOut, amountIn }: Trade, went: bigint): bigint {
  return (quotedOut * went + amountIn - 1n) / amountIn
}

function priceText(
  {
    side,
    token,
    amountIn,
    nativeDecimals,
  }: Pick<Trade, 'side' | 'token' | 'amountIn' | 'nativeDecimals'>,
  out: bigint,
): string {
  const [native, tokens] = side === 'buy' ? [amountIn, out] : [out, amountIn]
  return priceOf(
    { units: native, decimals: nativeDecimals },
    { units: tokens, decimals: token.decimals },
  )
}

function decimalsOf({ side, token, nativeDecimals }: Trade): readonly [number, number] {
  return side === 'buy' ? [nativeDecimals, token.decimals] : [token.decimals, nativeDecimals]
}

function confirmation({ blockTimeMilliseconds }: NetworkConfig) {
  const seconds = Math.ceil(blockTimeMilliseconds / 1000)
  return { estimatedConfirmation: `${seconds}-${Math.max(seconds * 3, seconds + 1)} seconds` }
}

function sandboxField(sandbox: boolean) {
  return sandbox ? { sandbox: true as const } : {}
}

function number(units: bigint, decimals: number): RawJson {
  return new RawJson(formatAmount(units, decimals))
}
