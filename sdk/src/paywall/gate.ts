import { systemClock } from '../clock.ts'
import type { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { asks, busy, duplicate, malformed, UNAVAILABLE } from './admission.ts'
import type { Admission, Asked } from './admission.ts'
import { checkPrices } from './check-prices.ts'
import { chargeInTime, TOO_LATE } from './charge-in-time.ts'
import type { Charging } from './charge-in-time.ts'
import { charge, mayBeLost, requirementFor, takenBy, waitOf } from './charge.ts'
import type { Charged } from './charge.ts'
import { identifierProblem } from './extensions.ts'
import { openHandOver } from './hand-over.ts'
import { lostAnswers } from './lost-answers.ts'
import { openMeter } from './metered.ts'
import type { Shown } from './metered.ts'
import { readPresented } from './presented.ts'
import { pricesOf } from './price.ts'
import type { PaywallOptions } from './price.ts'
import { requirementsOf } from './requirement.ts'
import type { Requirement } from './requirement.ts'
import { tellOver, tellProblem } from './tell-problem.ts'
import { openTerms } from './terms.ts'

/** The paywall as such: settles what a request shows, and lets it through once. Knows no framework. */
export function openGate(
  florin: Pick<Florin, 'networks' | 'x402'>,
  options: PaywallOptions,
): (asked: Asked) => Promise<Admission> {
  const prices = pricesOf(options)
  checkPrices(prices)
  const { clock = systemClock, baseUrl } = options
  if (baseUrl !== undefined && URL.parse(baseUrl) === null) {
    throw new FlorinError({ code: 'INVALID_SETTING', message: `"${baseUrl}" is no address` })
  }

  const problem = (code: string, cause?: unknown) => tellProblem(options, code, cause)

  const away = new Set<string>()
  const terms = openTerms((signal) => requirementsOf(florin, prices, signal), clock, {
    away: (error) => {
      const code = error instanceof FlorinError ? error.code : 'unexpected_error'
      away.add(code)
      void problem(code, error)
    },
    back: () => {
      tellOver(options, away)
      away.clear()
    },
  })

  const handOver = openHandOver(options)
  const lost = lostAnswers(clock)
  /** Settlements that went on when their buyers were told to ask again: of two the service would give the success to either. */
  const adrift = new Map<string, Charging>()
  const meter = openMeter(florin, clock, handOver, (code, cause) => void problem(code, cause))

  async function wasLost(charged: Charged, header: string): Promise<boolean> {
    const since = await lost.since(header)
    return since !== undefined && mayBeLost(charged, since)
  }

  async function admit(
    charged: Charged & { kind: 'paid' | 'repeated' },
    header: string,
  ): Promise<Admission> {
    const taken = takenBy(charged, await wasLost(charged, header))
    if (taken === undefined) return duplicate(null)
    const handed = await handOver.admit(taken)
    if (handed.kind === 'used') return duplicate(taken.paid.paymentId)
    return handed.kind === 'unrecorded' ? busy(UNAVAILABLE) : handed
  }

  /** A settlement has come after its buyer was told to ask again. */
  async function missed(charged: Charged, header: string): Promise<void> {
    await lost.note(header, charged)
    if (charged.kind === 'unavailable') return problem(charged.code, charged.cause)
    if (charged.kind !== 'paid' && charged.kind !== 'repeated') return
    const taken = takenBy(charged, await wasLost(charged, header))
    if (taken !== undefined && taken.taken !== 'before') await handOver.miss(taken, TOO_LATE)
  }

  /** The settlement of a payment by `exact`: the one that is under way already, if nobody waits for it, or else one of its own. */
  async function settled({ presented, requirement, place }: Shown): Promise<Charged> {
    const { header } = presented
    const key = `${place.method} ${place.resource} ${header}`
    const known = adrift.get(key)
    adrift.delete(key)
    const charging =
      known ??
      chargeInTime(
        charge(florin, presented, requirement, place),
        clock,
        {
          missed: (late) => missed(late, header),
          over: () => void (adrift.get(key) === charging && adrift.delete(key)),
        },
        waitOf(presented),
      )
    const charged = await charging.wait()
    if (charging.isUnderWay()) adrift.set(key, charging)
    await lost.note(header, charged)
    return charged
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
      requirements = await terms.now()
    } catch (error) {
      if (error instanceof FlorinError && error.code === 'INVALID_SETTING') throw error
      return busy(UNAVAILABLE, read.kind !== 'none', terms.againInSeconds())
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
    const charged = await settled(shown)
    switch (charged.kind) {
      case 'paid':
      case 'repeated':
        return admit(charged, read.presented.header)
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
