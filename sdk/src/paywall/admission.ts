import { limits } from '../limits.ts'
import { NO_STORE } from './answer-headers.ts'
import { demand } from './demand.ts'
import type { Place, Said } from './demand.ts'
import { encodeHeader } from './header-json.ts'
import type { HeldAnswer } from './held.ts'
import type { Paid } from './price.ts'
import type { Requirement } from './requirement.ts'

/** A request as every framework can say it. */
export interface Asked {
  /** Address with its host, as the buyer wrote it. */
  readonly url: string
  readonly method?: string
  header(name: string): string | undefined
}

/** What is said instead of the handler, or that it may run. */
export type Admission =
  | { readonly kind: 'said'; readonly said: Said }
  | { readonly kind: 'admitted'; readonly admitted: Admitted }
  /** The handler may run, and its answer is held back until it is paid for. */
  | { readonly kind: 'metered'; readonly metered: Metered }
  /** What the handler answered before goes out, and it does not run. */
  | { readonly kind: 'kept'; readonly answer: HeldAnswer; readonly admitted: Admitted }

/** A visit of which the amount is open. */
export interface Metered {
  /**
   * False once the answer is finished: the amount is being taken then.
   * @throws {FlorinError} INVALID_AMOUNT when it is more than the maximum, or no amount of the asset
   */
  setAmount(amount: string | number): boolean
  /** Takes the amount; only what is admitted may go out. Never throws. */
  finish(answer: HeldAnswer): Promise<Exclude<Admission, { kind: 'metered' | 'admitted' }>>
  /**
   * Takes nothing: there is no answer that is worth it. `handlerEnded`: where the handler goes on working; until then, or a
   * bound, the same payment runs no other.
   */
  abandon(handlerEnded?: Promise<void>): void
}

export interface Admitted {
  readonly paid: Paid
  /** For the answer, whatever it becomes. */
  readonly headers: Readonly<Record<string, string>>
  /** To be called once the answer is out, or is known to be none. `reason`: why it was not delivered. */
  ended(reason?: string): Promise<void>
}

/** All that a buyer hears of what keeps the seller from settling. */
export const UNAVAILABLE = 'payment_service_unavailable'

interface Told {
  readonly kind: 'said'
  readonly said: Said
}

/** Asks for payment. `response`: what became of one that was shown. */
export async function asks(
  place: Place,
  requirements: readonly Requirement[],
  error: string,
  response?: object,
): Promise<Told> {
  const { status, headers, body } = await demand(place, requirements, error)
  const text = response === undefined ? undefined : encodeHeader(response)
  const told = text === undefined ? {} : { 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text }
  return { kind: 'said', said: { status, headers: { ...NO_STORE, ...headers, ...told }, body } }
}

function plain(status: number, body: object, headers: Record<string, string> = {}): Told {
  return { kind: 'said', said: { status, headers: { ...NO_STORE, ...headers }, body } }
}

/** Never 402: a buyer that reads 402 pays again. */
export function duplicate(paymentId: string | null): Told {
  const message = 'This payment was used before. Do not pay again.'
  const own = paymentId === null ? {} : { paymentId }
  return plain(409, { error: 'duplicate_settlement', message, ...own })
}

/** Not to be read. */
export function malformed(message: string): Told {
  return plain(400, { error: 'invalid_payload', message })
}

/** Ask again, with the same payment where one was shown. `reason` is for buyers: nothing of the seller's own affairs. */
export function busy(
  reason: string,
  hasPaid = true,
  retryAfter: number = limits.paywallRetryAfterSeconds,
): Told {
  const message = hasPaid
    ? 'Ask again with the same payment. Do not pay again.'
    : 'Ask again later. Nothing was asked for and nothing was taken.'
  return plain(503, { error: reason, message, retryAfter }, { 'Retry-After': `${retryAfter}` })
}
