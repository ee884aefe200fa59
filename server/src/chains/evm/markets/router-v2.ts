import type { Address } from '../../chain.ts'
import type { TokenPath } from './token-route.ts'
import { addressOf, callData, readCall, uintOf } from './words.ts'

/** Those that look at what really came, so that the minimum holds for tokens that keep a part of what moves, too. */
const BUY = 'b6f9de95'
const SELL = '791ac947'
/** The same without that look, as others write them. */
const PLAIN_BUY = '7ff36ab5'
const PLAIN_SELL = '18cbafe5'
const GET_PAIR = 'e6a43905'
/** getReserves() of a pair. */
export const GET_RESERVES = '0902f1ac'

/** Asks a factory for a pair, hex without 0x. */
export function getPairCall(tokens: readonly [Address, Address]): string {
  return callData(GET_PAIR, tokens)
}

export interface SwapTerms {
  readonly amountIn: bigint
  readonly minimumOut: bigint
  /** What goes in, and what comes out; a token between them second. */
  readonly path: TokenPath
  readonly recipient: Address
  /** Unix time of the chain: later the router refuses. */
  readonly deadlineSeconds: bigint
}

/** swapExactETHForTokensSupportingFeeOnTransferTokens(minimum, path, to, deadline); the amount goes along as value. */
export function buyData({ minimumOut, path, recipient, deadlineSeconds }: SwapTerms): string {
  return callData(BUY, [
    minimumOut,
    0x80n,
    recipient,
    deadlineSeconds,
    BigInt(path.length),
    ...path,
  ])
}

/** swapExactTokensForETHSupportingFeeOnTransferTokens(amount, minimum, path, to, deadline) */
export function sellData({
  amountIn,
  minimumOut,
  path,
  recipient,
  deadlineSeconds,
}: SwapTerms): string {
  const where = [recipient, deadlineSeconds, BigInt(path.length), ...path]
  return callData(SELL, [amountIn, minimumOut, 0xa0n, ...where])
}

/** A router's call as its bytes have it. */
export type RoutedSwap = Omit<SwapTerms, 'amountIn'> & {
  /** Null: the value that goes along. */
  readonly amountIn: bigint | null
}

/** Reads a call that swaps native currency for a token, or back, with one token in between at most; undefined for any other. */
export function readSwapV2(data: Uint8Array): RoutedSwap | undefined {
  const { selector, words = [] } = readCall(data) ?? {}
  const isBuy = selector === BUY || selector === PLAIN_BUY
  if (!isBuy && selector !== SELL && selector !== PLAIN_SELL) return undefined
  const amounts = words.slice(0, isBuy ? 1 : 2).map(uintOf)
  const [offset, to, deadline, length, ...tokens] = words.slice(amounts.length)
  const recipient = addressOf(to)
  const path = pathIn(tokens)
  const isWhole =
    uintOf(offset) === (isBuy ? 0x80n : 0xa0n) && uintOf(length) === BigInt(tokens.length)
  if (!isWhole || recipient === undefined || path === undefined) return undefined
  const [amountIn = null, minimumOut = 0n] = isBuy ? [null, amounts[0]] : amounts
  const deadlineSeconds = uintOf(deadline)
  return { amountIn, minimumOut, path, recipient, deadlineSeconds }
}

function pathIn(tokens: readonly Uint8Array[]): TokenPath | undefined {
  const [first, second, third] = tokens.map(addressOf)
  if (first === undefined || second === undefined) return undefined
  if (tokens.length === 2) return [first, second]
  return tokens.length === 3 && third !== undefined ? [first, second, third] : undefined
}
