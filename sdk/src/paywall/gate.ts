import { systemClock } from '../clock.ts'
import type { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { limits } from '../limits.ts'
import { charge, requirementFor } from './charge.ts'
import type { Charged } from './charge.ts'
import { deliveriesInMemory } from './deliveries.ts'
import { demand } from './demand.ts'
import type { Place, Said } from './demand.ts'
import { encodeHeader } from './header-json.ts'
import { readPresented } from './presented.ts'
import type { Presented } from './presented.ts'
import { pricesOf } from './price.ts'
import type { Paid, PaywallOptions } from './price.ts'
import { requirementsOf } from './requirement.ts'
import type { Requirement } from './requirement.ts'

/** A request as every framework can say it. */
export interface Asked {
  /** Address with its host, as the buyer wrote it. */
  readonly url: string
  header(name: string): string | undefined
}

/** What is said instead of the handler, or that it may run. */
export type Admission =
  | { readonly kind: 'said'; readonly said: Said }
  | { readonly kind: 'admitted'; readonly admitted: Admitted }

export interface Admitted {
  readonly paid: Paid
  /** For the answer, whatever it becomes. */
  readonly headers: Readonly<Record<string, string>>
  /** To be called once the answer is out, or is known to be none. `reason`: why it was not delivered. */
  ended(reason?: string): Promise<void>
}

/** All that a buyer hears of what keeps the seller from settling. */
export const UNAVAILABLE = 'payment_service_unavailable'

/** No cache may keep what one buyer paid for, nor a demand that names an amount. RFC 9111, 5.2.2. */
export const NO_STORE = { 'Cache-Control': 'private, no-store' } as const

/** The paywall as such: settles what a request shows, and lets it through once. Knows no framework. */
export function openGate(
  florin: Pick<Florin, 'networks' | 'x402'>,
  options: PaywallOptions,
): (asked: Asked) => Promise<Admission> {
  const prices = pricesOf(options)
  const { clock = systemClock, deliveries = deliveriesInMemory(), baseUrl } = options
  if (baseUrl !== undefined && URL.parse(baseUrl) === null) {
    throw new FlorinError({ code: 'INVALID_SETTING', message: `"${baseUrl}" is no address` })
  }
  let known: { readonly until: number; readonly requirements: readonly Requirement[] } | undefined

  async function terms(): Promise<readonly Requirement[]> {
    if (known !== undefined && clock.now() < known.until) return known.requirements
    try {
      const signal = AbortSignal.timeout(limits.paywallAskMilliseconds)
      const requirements = await requirementsOf(florin, prices, signal)
      known = { until: clock.now() + limits.paywallTermsMilliseconds, requirements }
      return requirements
    } catch (error) {
      // What held some minutes ago still asks for the right thing; settling decides.
      if (known !== undefined) return known.requirements
      throw error
    }
  }

  async function problem(code: string, cause?: unknown): Promise<void> {
    try {
      const told: unknown = options.onProblem?.(code, cause)
      await told
    } catch {
      // There is nobody left to tell.
    }
  }

  /** Nothing that a callback does or fails to do changes what the buyer gets. */
  async function tell(callback: () => unknown): Promise<void> {
    try {
      await callback()
    } catch (error) {
      await problem('callback_failed', error)
    }
  }

  /** Never throws; the seller hears of it whether or not it can be recorded. */
  async function undelivered(paid: Paid, reason: string): Promise<void> {
    try {
      if (paid.paymentId !== null) await deliveries.end(paid.paymentId, false)
    } catch (error) {
      void problem('deliveries_failed', error)
    }
    void tell(() => options.onUndelivered?.(paid, reason))
  }

  /** Waits for the settlement, and not for ever: what comes later is kept for whoever asks again with the same proof. */
  async function settled(
    presented: Presented,
    requirement: Requirement,
    place: Place,
  ): Promise<Charged> {
    const over = new AbortController()
    let isLate = false
    const charging = charge(florin, presented, requirement, place).then(async (charged) => {
      over.abort()
      if (isLate && charged.kind === 'paid') {
        await undelivered(charged.paid, 'the settlement came after the buyer was told to ask again')
      }
      return charged
    })
    const late = clock.sleep(limits.paywallSettleMilliseconds, over.signal).then((): Charged => {
      isLate = !over.signal.aborted
      return { kind: 'pending' }
    })
    return Promise.race([charging, late.then((pending) => (isLate ? pending : charging))])
  }

  async function admit(charged: Charged & { kind: 'paid' | 'repeated' }): Promise<Admission> {
    const { paid, response } = charged
    const isFirst = charged.kind === 'paid'
    const paymentId = paid?.paymentId ?? null
    let mayBegin = isFirst
    try {
      if (paymentId !== null) mayBegin = await deliveries.begin(paymentId, isFirst)
    } catch (error) {
      void problem('deliveries_failed', error)
      if (isFirst) await undelivered(charged.paid, 'the delivery could not be recorded')
      return busy(UNAVAILABLE)
    }
    if (paid === null || !mayBegin) return duplicate(paymentId)
    if (isFirst) void tell(() => options.onPaid?.(paid))
    const text = encodeHeader(response)
    let hasEnded = false
    const ended = async (reason?: string) => {
      if (hasEnded) return
      hasEnded = true
      try {
        if (reason !== undefined) return await undelivered(paid, reason)
        if (paymentId !== null) await deliveries.end(paymentId, true)
      } catch (error) {
        // Nobody waits for this; a record that cannot be written lets nothing out a second time.
        void problem('deliveries_failed', error)
      }
    }
    const headers = { ...NO_STORE, 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text }
    return { kind: 'admitted', admitted: { paid, headers, ended } }
  }

  return async (asked) => {
    const resource = resourceOf(asked.url, baseUrl)
    if (resource === undefined) return malformed('the address of the request is none')
    const place = { resource, settings: options }
    const read = readPresented((name) => asked.header(name))
    if (read.kind === 'malformed') return malformed(read.reason)
    let requirements: readonly Requirement[]
    try {
      requirements = await terms()
    } catch (error) {
      const code = error instanceof FlorinError ? error.code : 'unexpected_error'
      void problem(code, error)
      if (code === 'INVALID_SETTING') throw error
      return busy(UNAVAILABLE)
    }
    if (read.kind === 'none') return asks(place, requirements, 'payment_required')
    const requirement = requirementFor(read.presented, requirements)
    if (requirement === undefined) return asks(place, requirements, 'no_matching_requirements')
    const charged = await settled(read.presented, requirement, place)
    switch (charged.kind) {
      case 'paid':
      case 'repeated':
        return admit(charged)
      case 'refused':
        return asks(place, requirements, charged.reason, charged.response)
      case 'pending':
        return busy('settlement_pending')
      case 'unavailable':
        void problem(charged.code, charged.cause)
        return busy(UNAVAILABLE)
      default:
        return charged satisfies never
    }
  }
}

function asks(
  place: Place,
  requirements: readonly Requirement[],
  error: string,
  response?: object,
): Admission {
  const { status, headers, body } = demand(place, requirements, error)
  const text = response === undefined ? undefined : encodeHeader(response)
  const told = text === undefined ? {} : { 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text }
  return { kind: 'said', said: { status, headers: { ...NO_STORE, ...headers, ...told }, body } }
}

function plain(status: number, body: object, headers: Record<string, string> = {}): Admission {
  return { kind: 'said', said: { status, headers: { ...NO_STORE, ...headers }, body } }
}

/** Never 402: a buyer that reads 402 pays again. */
function duplicate(paymentId: string | null): Admission {
  const message = 'This payment was used before. Do not pay again.'
  const own = paymentId === null ? {} : { paymentId }
  return plain(409, { error: 'duplicate_settlement', message, ...own })
}

function malformed(message: string): Admission {
  return plain(400, { error: 'invalid_payload', message })
}

/** Ask again, with the same payment. `reason` is for buyers: nothing of the seller's own affairs. */
export function busy(reason: string): Admission {
  const message = 'Ask again with the same payment. Do not pay again.'
  const retryAfter = limits.paywallRetryAfterSeconds
  return plain(503, { error: reason, message, retryAfter }, { 'Retry-After': `${retryAfter}` })
}

function resourceOf(address: string, baseUrl: string | undefined): string | undefined {
  const url = URL.parse(address, baseUrl ?? 'http://localhost')
  if (url === null) return undefined
  const base = baseUrl === undefined ? url.origin : baseUrl.replace(/\/+$/, '')
  return `${base}${url.pathname}${url.search}`
}
