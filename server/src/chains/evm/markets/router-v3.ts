import type { Address } from '../../chain.ts'
import { addressFromBytes } from '../account.ts'
import type { RoutedSwap, SwapTerms } from './router-v2.ts'
import type { TokenPair } from './token-route.ts'
import { addressOf, callData, readCall, uintOf } from './words.ts'

const EXACT_INPUT_SINGLE = '414bf389'
const EXACT_INPUT = 'c04b8d59'
const SWEEP = 'df2ab5bb'
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
/** Three tokens and two fees between them, packed. */
const PATH_BYTES = 3 * 20 + 2 * 3
const PATH_WORDS = Math.ceil(PATH_BYTES / WORD_BYTES)
/** What stands before the path in a call through two pools: where its terms begin, the terms, how long the path is. */
const THROUGH_WORDS = 7
const THROUGH_BYTES = 4 + (THROUGH_WORDS + PATH_WORDS) * WORD_BYTES
/** Where the calls of a multicall begin: behind its own words and the length of the first. */
const firstAt = (calls: number): number => 4 + (2 + calls + 1) * WORD_BYTES
const behind = (at: number, bytes: number): number =>
  at + Math.ceil(bytes / WORD_BYTES) * WORD_BYTES + WORD_BYTES
/** The router keeps what comes out, for the call that follows. */
const ROUTER_ITSELF = 0n
const NO_PRICE_LIMIT = 0n
/** Where a swap stops that sets no limit of its own: square roots with 96 bits behind the point. Source: TickMath, SwapRouter. */
const LOWEST_PRICE = 4_295_128_740n
const HIGHEST_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n

export interface SwapTermsV3 extends SwapTerms {
  /** Of each pool on the way, in hundredths of a basis point. */
  readonly fees: readonly bigint[]
}

/** Asks a factory for a pool, hex without 0x. */
export function getPoolCall(tokens: readonly [Address, Address], fee: bigint): string {
  return callData(GET_POOL, [...tokens, fee])
}

/** Asks QuoterV2 what a swap through one pool would give, hex without 0x. */
export function quoteCall([tokenIn, tokenOut]: TokenPair, amountIn: bigint, fee: bigint): string {
  return callData(QUOTE_SINGLE, [tokenIn, tokenOut, amountIn, fee, NO_PRICE_LIMIT])
}

/** Whether a swap that leaves a pool at this price has come to the end of what is offered there: it took a part of the amount only. */
export function isEmptied([tokenIn, tokenOut]: TokenPair, priceAfter: bigint): boolean {
  return BigInt(tokenIn) < BigInt(tokenOut)
    ? priceAfter <= LOWEST_PRICE
    : priceAfter >= HIGHEST_PRICE
}

/**
 * multicall of exactInputSingle, or exactInput through two pools, and refundETH; the native currency goes along as value and is wrapped by the
 * router. A pool whose liquidity ends takes a part of it, and what the router is left with belongs to whoever asks for it first: so
 * does what a second pool leaves of the token between, which sweepToken gives to the wallet.
 */
export function buyDataV3(terms: SwapTermsV3): string {
  return multicallData([swapData(terms, terms.recipient), REFUND, ...sweeping(terms)])
}

/** multicall of the same, which leaves the wrapped currency with the router, and unwrapWETH9. */
export function sellDataV3(terms: SwapTermsV3): string {
  return multicallData([
    swapData(terms, ROUTER_ITSELF),
    callData(UNWRAP, [terms.minimumOut, terms.recipient]),
    ...sweeping(terms),
  ])
}

function sweeping({ path: [, between, end], recipient }: SwapTermsV3): readonly string[] {
  return end === undefined ? [] : [callData(SWEEP, [between, 0n, recipient])]
}

function multicallData(calls: readonly string[]): string {
  const bodies = calls.map((call) => callData('', [BigInt(call.length / 2)]) + padded(call))
  const begins = bodies.map((_, index) =>
    BigInt(calls.length * WORD_BYTES + bodies.slice(0, index).join('').length / 2),
  )
  const words = [BigInt(WORD_BYTES), BigInt(calls.length), ...begins]
  return callData(MULTICALL, words) + bodies.join('')
}

function padded(call: string): string {
  return call.padEnd(Math.ceil(call.length / 2 / WORD_BYTES) * WORD_BYTES * 2, '0')
}

function swapData(terms: SwapTermsV3, recipient: Address | bigint): string {
  const { path, fees, deadlineSeconds, amountIn, minimumOut } = terms
  const [first, between, end] = path
  const [fee = 0n, nextFee = 0n] = fees
  if (end === undefined) {
    const rest = [recipient, deadlineSeconds, amountIn, minimumOut, NO_PRICE_LIMIT]
    return callData(EXACT_INPUT_SINGLE, [first, between, fee, ...rest])
  }
  const words = [0x20n, 0xa0n, recipient, deadlineSeconds, amountIn, minimumOut, BigInt(PATH_BYTES)]
  const text = (each: bigint | Address): string =>
    callData('', [each]).slice(typeof each === 'bigint' ? -6 : -40)
  return (
    callData(EXACT_INPUT, words) + padded([first, fee, between, nextFee, end].map(text).join(''))
  )
}

type Read = { readonly terms: Omit<SwapTermsV3, 'recipient'>; readonly to: Uint8Array | undefined }

/** Reads a call as the two above write it, and a buy without its refund as others write it; undefined for any other. */
export function readSwapV3(data: Uint8Array): RoutedSwap | undefined {
  const text = Buffer.from(data).toString('hex')
  const isBare = text.startsWith(EXACT_INPUT_SINGLE)
  for (const calls of [2, 3]) {
    const at = isBare ? 0 : firstAt(calls)
    const bytes = calls === 2 ? SINGLE_BYTES : THROUGH_BYTES
    const swap = data.subarray(at, isBare ? data.length : at + bytes)
    const read = calls === 2 ? singleIn(swap) : throughIn(swap)
    if (read === undefined) continue
    const buyer = addressOf(read.to)
    const buy = buyer && { ...read.terms, recipient: buyer }
    // Whatever else is in it, or in another order, would not be the same bytes.
    if (buy && text === (isBare ? swapData(buy, buy.recipient) : buyDataV3(buy))) {
      return { ...buy, amountIn: null }
    }
    const unwrapAt = behind(at, bytes)
    const unwrap = readCall(data.subarray(unwrapAt, unwrapAt + UNWRAP_BYTES))
    const seller = addressOf(unwrap?.words[1])
    const sell = seller && { ...read.terms, recipient: seller }
    if (sell && sellDataV3(sell) === text) return sell
  }
  return undefined
}

function singleIn(data: Uint8Array): Read | undefined {
  const { selector, words = [] } = readCall(data) ?? {}
  const [first, second, fee, to, deadline, amount, minimum] = words
  const [tokenIn, tokenOut] = [addressOf(first), addressOf(second)]
  if (selector !== EXACT_INPUT_SINGLE || tokenIn === undefined || tokenOut === undefined) {
    return undefined
  }
  return {
    to,
    terms: {
      path: [tokenIn, tokenOut],
      fees: [uintOf(fee)],
      deadlineSeconds: uintOf(deadline),
      amountIn: uintOf(amount),
      minimumOut: uintOf(minimum),
    },
  }
}

function throughIn(data: Uint8Array): Read | undefined {
  const { selector, words = [] } = readCall(data) ?? {}
  const [, , to, deadline, amount, minimum, , ...packed] = words
  if (selector !== EXACT_INPUT || data.length < THROUGH_BYTES) return undefined
  const bytes = Buffer.concat(packed)
  const tokenAt = (at: number): Address => addressFromBytes(bytes.subarray(at, at + 20))
  return {
    to,
    terms: {
      path: [tokenAt(0), tokenAt(23), tokenAt(46)],
      fees: [uintOf(bytes.subarray(20, 23)), uintOf(bytes.subarray(43, 46))],
      deadlineSeconds: uintOf(deadline),
      amountIn: uintOf(amount),
      minimumOut: uintOf(minimum),
    },
  }
}
