import type { Address } from '../../chain.ts'
import { callData } from './words.ts'

/** Those that look at what really came, so that the minimum holds for tokens that keep a part of what moves, too. */
const BUY = 'b6f9de95'
const SELL = '791ac947'
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
  /** What goes in, and what comes out. */
  readonly path: readonly [Address, Address]
  readonly recipient: Address
  /** Unix time of the chain: later the router refuses. */
  readonly deadlineSeconds: bigint
}

/** swapExactETHForTokensSupportingFeeOnTransferTokens(minimum, path, to, deadline); the amount goes along as value. */
export function buyData({ minimumOut, path, recipient, deadlineSeconds }: SwapTerms): string {
  return callData(BUY, [minimumOut, 0x80n, recipient, deadlineSeconds, 2n, ...path])
}

/** swapExactTokensForETHSupportingFeeOnTransferTokens(amount, minimum, path, to, deadline) */
export function sellData({
  amountIn,
  minimumOut,
  path,
  recipient,
  deadlineSeconds,
}: SwapTerms): string {
  return callData(SELL, [amountIn, minimumOut, 0xa0n, recipient, deadlineSeconds, 2n, ...path])
}
