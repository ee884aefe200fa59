import { fromBase64 } from './base64.ts'
import type { CallOptions } from './call.ts'
import type { FetchPaymentAnswer } from './contract/fetch-payment.ts'
import type { Florin } from './florin.ts'
import { FlorinError } from './florin-error.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import { unpacked } from './unpack.ts'

export interface PayingFetchOptions {
  /** The wallet that pays; the service holds its key. */
  readonly walletAddress: string
  /** The most that one call may pay, whole units of the asset. */
  readonly ceiling: string | number
  /** Where anything may be paid at all: origins, or origins with the start of a path. Left out, anywhere. */
  readonly allow?: readonly string[]
  /** `USDC` unless given. */
  readonly asset?: string
  /** CAIP-2, or its name in version 1; the service's default unless given. */
  readonly network?: string
  /** Told of every call, paid or not. What it throws is passed over. */
  readonly onAnswer?: (answer: FetchPaymentAnswer) => void
}

/** What a call of it may say beside the address. */
export interface PayingFetchRequest extends CallOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Names the intent: the same key is the same purchase, after a crash as well. */
  readonly idempotencyKey?: string
}

export type PayingFetch = (url: string | URL, request?: PayingFetchRequest) => Promise<Response>

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** Statuses that have no body. Source: Fetch standard, "null body status". */
const BODILESS = [204, 205, 304]
/** What speaks of the connection to the seller, and what only this side may say of the payment. */
const NOT_HANDED_ON = [
  ...['content-length', 'transfer-encoding', 'connection'],
  ...['payment-id', 'payment-paid', 'payment-idempotency-key'],
]

/**
 * A `fetch` that pays: the service asks the seller, pays what it wants from one of its wallets, and hands the goods on.
 * No key and no money is here, and no redirect is followed. What a seller packs by gzip or deflate is unpacked. `PAYMENT-ID` and `PAYMENT-PAID` (`true`, `false`, `unknown`) stand among the answer's headers, and
 * `PAYMENT-IDEMPOTENCY-KEY` where a payment was signed: where the seller has handed nothing out for it, a repeat under this key shows
 * it again, and one without pays anew.
 *
 *     const pay = payingFetch(florin, { walletAddress, ceiling: '0.05', allow: ['https://shop.example'] })
 *     const report = await (await pay('https://shop.example/report')).json()
 *
 * @throws {FlorinError} POLICY_REFUSED, nothing signed, when the address is not allowed or the seller wants more than the
 * ceiling; NO_ANSWER when a payment was signed and the seller has not answered, or with nothing that a Response can be:
 * repeat under the error's idempotencyKey, which is the one that you gave or else one that was made.
 */
export function payingFetch(
  florin: Pick<Florin, 'payments'>,
  options: PayingFetchOptions,
): PayingFetch {
  const { walletAddress, ceiling: maxAmount, asset, network, onAnswer } = options
  const allowed = options.allow?.map((rule) => new URL(rule))
  return async (address, request = {}) => {
    const url = new URL(address)
    if (allowed?.some((rule) => covers(rule, url)) === false) throw notAllowed(url)
    const { headers, body, signal, idempotencyKey = newIdempotencyKey() } = request
    const method = methodOf(request.method)
    const order = { walletAddress, url: url.href, maxAmount, asset, network, method, headers, body }
    const answer = await florin.payments.fetch(order, { signal, idempotencyKey })
    tell(onAnswer, answer)
    return responseOf(answer, idempotencyKey)
  }
}

/** What was paid for is not lost to whoever only listens. */
function tell(onAnswer: PayingFetchOptions['onAnswer'], answer: FetchPaymentAnswer): void {
  try {
    onAnswer?.(answer)
  } catch {
    // A repeat would sign anew: the caller has its answer, whatever the listener made of it.
  }
}

/** What a seller has packed is unpacked, as any fetch does; what cannot be is handed on as it came, and its headers say so. */
async function bodyOf(
  { body, bodyEncoding }: NonNullable<FetchPaymentAnswer['response']>,
  headers: Headers,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = bodyEncoding === 'base64' ? fromBase64(body) : new TextEncoder().encode(body)
  const encoding = headers.get('content-encoding')
  const plain = encoding === null ? undefined : await unpacked(bytes, encoding)
  if (plain !== undefined) headers.delete('content-encoding')
  return new Uint8Array(plain ?? bytes)
}

/** A failure names the key, under which the same request shows the same payment again. */
async function responseOf(
  { response, problem, lost, paymentId, paid }: FetchPaymentAnswer,
  idempotencyKey: string,
): Promise<Response> {
  if (response === null) {
    throw new FlorinError({
      code: 'NO_ANSWER',
      message: `the seller was shown a payment and gave no answer that could be kept (${problem ?? 'unknown'})`,
      details: { paymentId, paid, ...(lost === undefined ? {} : { lost }) },
      outcomeUnknown: true,
      idempotencyKey,
    })
  }
  const { status } = response
  try {
    const headers = new Headers(response.headers)
    const { setCookies = [] } = response
    if (setCookies.length > 0) headers.delete('set-cookie')
    for (const cookie of setCookies) headers.append('set-cookie', cookie)
    for (const name of NOT_HANDED_ON) headers.delete(name)
    headers.set('payment-paid', String(paid))
    if (paymentId !== undefined) headers.set('payment-id', paymentId)
    if (paid !== false) headers.set('payment-idempotency-key', idempotencyKey)
    const body = BODILESS.includes(status) ? null : await bodyOf(response, headers)
    return new Response(body, { status, headers })
  } catch (error) {
    // A Response has a status from 200 to 599 and headers of the Fetch standard; a seller need not keep to that.
    throw new FlorinError({
      code: 'NO_ANSWER',
      message: `the seller's answer, of status ${status}, is none that can be handed on`,
      details: { paymentId, paid, status },
      outcomeUnknown: true,
      idempotencyKey,
      cause: error,
    })
  }
}

/** The same origin, and the rule's path or one below it. */
function covers(rule: URL, url: URL): boolean {
  if (rule.origin !== url.origin || url.username !== '' || url.password !== '') return false
  const start = rule.pathname.replace(/\/$/, '')
  if (start === '') return true
  // Servers that decode late read these as ways out of the path.
  if (/%(2f|5c|25|00)/i.test(url.pathname) || /\/(\.|%2e){2}/i.test(url.pathname)) return false
  return url.pathname === start || url.pathname.startsWith(`${start}/`)
}

function notAllowed(url: URL): FlorinError {
  return new FlorinError({
    code: 'POLICY_REFUSED',
    message: `nothing may be paid at ${url.origin}${url.pathname}`,
    details: { rule: 'allow' },
  })
}

function methodOf(text = 'GET'): (typeof METHODS)[number] {
  const method = METHODS.find((known) => known === text.toUpperCase())
  if (method !== undefined) return method
  throw new FlorinError({ code: 'INVALID_SETTING', message: `"${text}" is no method to buy with` })
}
