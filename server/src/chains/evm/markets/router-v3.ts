import type { Address } from '../../chain.ts'
import type { RoutedSwap, SwapTerms } from './router-v2.ts'
import { addressOf, callData, readCall, uintOf } from './words.ts'

const EXACT_INPUT_SINGLE = '414bf389'
const MULTICALL = 'ac9650d8'
const UNWRAP = '49404b7c'
const REFUND = '12210e8a'
const GET_POOL = '1698ee82'
const QUOTE_SINGLE = 'c6a5026a'
/** slot0() of a pool: its price first. */
export const SLOT0 = '3850c7bd'

const WORD_BYTES = 32
const SINGLE_BYTES = 4 + 8 * WORD_BYTES
const UNWRAP_BYTES = 4 + 2 * WORD_BYTES
/** Where the two calls of a multicall begin. */
const FIRST_AT = 4 + 5 * WORD_BYTES
const LAST_AT = FIRST_AT + Math.ceil(SINGLE_BYTES / WORD_BYTES) * WORD_BYTES + WORD_BYTES
/** The router keeps what comes out, for the call that follows. */
const ROUTER_ITSELF = 0n
const NO_PRICE_LIMIT = 0n
/** Where a swap stops that sets no limit of its own: square roots with 96 bits behind the point. Source: TickMath, SwapRouter. */
const LOWEST_PRICE = 4_295_128_740n
const HIGHEST_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n

export interface SwapTermsV3 extends SwapTerms {
  /** In hundredths of a basis point. */
  readonly fee: bigint
}

/** Asks a factory for a pool, hex without 0x. */
export function getPoolCall(tokens: readonly [Address, Address], fee: bigint): string {
  return callData(GET_POOL, [...tokens, fee])
}

/** Asks QuoterV2 what a swap through one pool would give, hex without 0x. */
export function quoteCall(
  [tokenIn, tokenOut]: readonly [Address, Address],
  amountIn: bigint,
  fee: bigint,
): string {
  return callData(QUOTE_SINGLE, [tokenIn, tokenOut, amountIn, fee, NO_PRICE_LIMIT])
}

/** Whether a swap that leaves a pool at this price has come to the end of what is offered there: it took a part of the amount only. */
export function isEmptied(
  [tokenIn, tokenOut]: readonly [Address, Address],
  priceAfter: bigint,
): boolean {
  return BigInt(tokenIn) < BigInt(tokenOut)
    ? priceAfter <= LOWEST_PRICE
    : priceAfter >= HIGHEST_PRICE
}

/**
 * multicall of exactInputSingle and refundETH; the native currency goes along as value and is wrapped by the router. A pool whose liquidity
 * ends takes a part of it, and what the router is left with belongs to whoever asks for it first.
 */
export function buyDataV3(terms: SwapTermsV3): string {
  return multicallData([singleData(terms, terms.recipient), REFUND])
}

/** multicall of exactInputSingle, which leaves the wrapped currency with the router, and unwrapWETH9. */
export function sellDataV3(terms: SwapTermsV3): string {
  return multicallData([
    singleData(terms, ROUTER_ITSELF),
    callData(UNWRAP, [terms.minimumOut, terms.recipient]),
  ])
}

function multicallData(calls: readonly [string, string]): string {
  const bodies = calls.map((call) => {
    const bytes = call.length / 2
    const padded = call.padEnd(Math.ceil(bytes / WORD_BYTES) * WORD_BYTES * 2, '0')
    return callData('', [BigInt(bytes)]) + padded
  })
  const [first = ''] = bodies
  const from = BigInt(2 * WORD_BYTES)
  return (
    callData(MULTICALL, [BigInt(WORD_BYTES), 2n, from, from + BigInt(first.length / 2)]) +
    bodies.join('')
  )
}

function singleData(
  { path, fee, deadlineSeconds, amountIn, minimumOut }: SwapTermsV3,
  recipient: Address | bigint,
): string {
  const terms = [recipient, deadlineSeconds, amountIn, minimumOut, NO_PRICE_LIMIT]
  return callData(EXACT_INPUT_SINGLE, [...path, fee, ...terms])
}

/** Reads a call as the two above write it, and a buy without its refund as others write it; undefined for any other. */
export function readSwapV3(data: Uint8Array): RoutedSwap | undefined {
  const text = Buffer.from(data).toString('hex')
  const isBare = text.startsWith(EXACT_INPUT_SINGLE)
  const single = singleIn(isBare ? data : data.subarray(FIRST_AT, FIRST_AT + SINGLE_BYTES))
  if (single === undefined) return undefined
  const buyer = addressOf(single.recipientWord)
  const buy = buyer && { ...single.terms, recipient: buyer }
  // Whatever else is in it, or in another order, would not be the same bytes.
  if (buy && text === (isBare ? singleData(buy, buy.recipient) : buyDataV3(buy))) {
    return { ...buy, amountIn: null }
  }
  const unwrap = readCall(data.subarray(LAST_AT, LAST_AT + UNWRAP_BYTES))
  const seller = addressOf(unwrap?.words[1])
  if (seller === undefined) return undefined
  const sell = { ...single.terms, recipient: seller }
  return sellDataV3(sell) === text ? sell : undefined
}

function singleIn(data: Uint8Array):
  | {
      readonly terms: Omit<SwapTermsV3, 'recipient'>
      readonly recipientWord: Uint8Array | undefined
    }
  | undefined {
  const { selector, words = [] } = readCall(data) ?? {}
  const [first, second, fee, recipientWord, deadline, amount, minimum] = words
  const [tokenIn, tokenOut] = [addressOf(first), addressOf(second)]
  if (selector !== EXACT_INPUT_SINGLE || tokenIn === undefined || tokenOut === undefined) {
    return undefined
  }
  return {
    recipientWord,
    terms: {
      path: [tokenIn, tokenOut],
      fee: uintOf(fee),
      deadlineSeconds: uintOf(deadline),
      amountIn: uintOf(amount),
      minimumOut: uintOf(minimum),
    },
  }
}
