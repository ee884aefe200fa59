import { systemClock } from '../clock.ts'
import type { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { limits } from '../limits.ts'
import { asks, busy, duplicate, malformed, NO_STORE, UNAVAILABLE } from './admission.ts'
import type { Admission, Asked } from './admission.ts'
import { chargeInTime, TOO_LATE } from './charge-in-time.ts'
import { charge, requirementFor } from './charge.ts'
import type { Charged } from './charge.ts'
import { deliveriesInMemory } from './deliveries.ts'
import { identifierProblem } from './extensions.ts'
import { encodeHeader } from './header-json.ts'
import { openMeter } from './metered.ts'
import { readPresented } from './presented.ts'
import { pricesOf } from './price.ts'
import type { Paid, PaywallOptions } from './price.ts'
import { requirementsOf } from './requirement.ts'
import type { Requirement } from './requirement.ts'
import { tellProblem } from './tell-problem.ts'

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

  const problem = (code: string, cause?: unknown) => tellProblem(options, code, cause)

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

  const meter = openMeter(florin, clock, {
    problem: (code, cause) => void problem(code, cause),
    paid: (paid) => void tell(() => options.onPaid?.(paid)),
    undelivered: (paid, reason) => void tell(() => options.onUndelivered?.(paid, reason)),
  })

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
    const { method = 'GET' } = asked
    const place = { resource, method, settings: options }
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
    if (read.presented.x402Version === 2) {
      const wrong = identifierProblem(read.presented.payload, options)
      if (wrong !== undefined) return malformed(wrong)
    }
    const requirement = requirementFor(read.presented, requirements)
    if (requirement === undefined) return asks(place, requirements, 'no_matching_requirements')
    const shown = { presented: read.presented, requirement, place }
    if (requirement.scheme === 'upto') {
      return meter(shown, (reason, response) => asks(place, requirements, reason, response))
    }
    const charging = charge(florin, read.presented, requirement, place)
    const charged = await chargeInTime(charging, clock, async (late) => {
      if (late.kind === 'paid') await undelivered(late.paid, TOO_LATE)
    })
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

function resourceOf(address: string, baseUrl: string | undefined): string | undefined {
  const url = URL.parse(address, baseUrl ?? 'http://localhost')
  if (url === null) return undefined
  const base = baseUrl === undefined ? url.origin : baseUrl.replace(/\/+$/, '')
  return `${base}${url.pathname}${url.search}`
}
