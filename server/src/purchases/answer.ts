import { RawJson } from '@florin/wire/raw-json.ts'
import { formatAmount } from '@florin/wire/amount.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { COOKIES_APART } from '../outbound/cookies-apart.ts'
import type { Payment, PaymentStatus } from '../payments/payment.ts'
import { paymentFacts } from '../payments/view.ts'
import type { FetchResult } from './fetch.ts'
import type { LostAnswer, SellerAnswer } from './purchase.ts'
import { receiptOf } from './receipt.ts'

/** What a caller may see of a purchase. */
export function purchaseFacts(
  { payment, answer, problem, lost }: FetchResult,
  config: NetworkConfig,
) {
  const receipt = receiptOf(answer ?? lost)
  return {
    paid: payment === null ? false : PAID[payment.status],
    ...(payment === null ? { amount: new RawJson('0') } : paidFacts(payment, config)),
    response: answer === null ? null : responseOf(answer),
    ...(problem === null ? {} : { problem }),
    ...(lost === undefined ? {} : { lost: lostFacts(lost) }),
    ...(receipt === undefined ? {} : { receipt }),
  }
}

/** Whether the money moved: what the chain says, never the seller. */
const PAID = {
  pending: 'unknown',
  confirmed: true,
  settled: true,
  failed: false,
  expired: false,
} as const satisfies Record<PaymentStatus, true | false | 'unknown'>

function paidFacts(payment: Payment, config: NetworkConfig) {
  const { id: paymentId, amount, decimals } = payment
  return {
    paymentId,
    amount: new RawJson(formatAmount(amount, decimals)),
    payment: paymentFacts(payment, null, config),
  }
}

function responseOf({ status, headers, body }: SellerAnswer) {
  const text = textOf(body)
  return {
    status,
    ...cookiesApart(headers),
    body: text ?? Buffer.from(body).toString('base64'),
    bodyEncoding: text === undefined ? 'base64' : 'utf8',
  } as const
}

/** The seller's own word: nothing more of the body was read. */
function lostFacts({ status, headers }: LostAnswer) {
  const { 'content-length': length = '', 'content-type': contentType = null } = headers
  return {
    status,
    contentLength: /^[0-9]{1,15}$/.test(length) ? Number(length) : null,
    contentType,
  }
}

/** Headers have one text each; that of several cookies cannot be taken apart again, so they stand beside it. */
function cookiesApart(headers: SellerAnswer['headers']) {
  const { 'set-cookie': kept } = headers
  if (kept === undefined) return { headers }
  const setCookies = kept.split(COOKIES_APART)
  return { headers: { ...headers, 'set-cookie': setCookies.join(', ') }, setCookies }
}

function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}
