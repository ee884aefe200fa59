import { decodePaymentHeader } from '@florin/wire/x402/payment-header.ts'
import { limits } from '../kernel/limits.ts'
import type { SellerAnswer } from './purchase.ts'

/** What the seller says of the settlement, decoded; undefined when it says nothing that can be read. Source: x402 v1 and v2, HTTP transport. */
export function receiptOf(
  answer: Pick<SellerAnswer, 'headers'> | null | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const text = answer?.headers['payment-response'] ?? answer?.headers['x-payment-response']
  const receipt = text === undefined ? undefined : decodePaymentHeader(text)
  return receipt === undefined || !isShallow(receipt) ? undefined : receipt
}

/** Whether the seller says that it has taken the money. Nobody believes it: it tells what to ask the chain about. */
export function saysSettled(answer: Pick<SellerAnswer, 'headers'> | null): boolean {
  return receiptOf(answer)?.['success'] === true
}

/**
 * Whether the seller has handed out what was paid for: 2xx, or 3xx where it says that it has taken the money, as stock servers and our own paywall do of
 * every answer below 400. A 3xx without a word of money is a detour.
 */
export function isHandedOut(answer: Pick<SellerAnswer, 'status' | 'headers'>): boolean {
  const { status } = answer
  return status >= 200 && (status < 300 || (status < 400 && saysSettled(answer)))
}

/** Whether it can be written down: what a seller sends may be nested so deep that writing it fails, after the payment. */
function isShallow(receipt: unknown): boolean {
  let level: readonly unknown[] = [receipt]
  for (let depth = 0; depth <= limits.jsonDepthMax; depth += 1) {
    level = level.flatMap((each): readonly unknown[] =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    )
    if (level.length === 0) return true
  }
  return false
}
