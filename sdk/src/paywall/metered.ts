import { baseUnitsOf } from '../base-units.ts'
import type { Clock } from '../clock.ts'
import type { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { busy, duplicate, NO_STORE, UNAVAILABLE } from './admission.ts'
import type { Admission, Metered } from './admission.ts'
import { chargeInTime, TOO_LATE } from './charge-in-time.ts'
import { charge, look } from './charge.ts'
import type { Charged } from './charge.ts'
import type { Place } from './demand.ts'
import { encodeHeader } from './header-json.ts'
import type { Presented } from './presented.ts'
import type { Paid } from './price.ts'
import type { Requirement } from './requirement.ts'
import { visitOf, visitsInMemory } from './visits.ts'
import type { Owed } from './visits.ts'

/** A payment by `upto`, for what it was made, and where. */
export interface Shown {
  readonly presented: Presented
  readonly requirement: Requirement
  readonly place: Place
}

/** Asks for payment anew. */
type Refuse = (reason: string, response?: object) => Promise<Admission & { kind: 'said' }>

/** Whom the seller made to hear of it. None of them throws. */
export interface Hearers {
  problem(code: string, cause?: unknown): void
  paid(paid: Paid): void
  undelivered(paid: Paid, reason: string): void
}

/**
 * Serves payments by `upto`. The payment is looked at, the handler runs once, and its answer is held until what it cost
 * was taken. An answer whose settlement is open, or that never reached its buyer, is kept for the same payment and the same
 * address; the handler does not run again, so that nobody gets a dear answer for the price of a cheap one.
 */
export function openMeter(
  florin: Pick<Florin, 'x402'>,
  clock: Clock,
  hear: Hearers,
): (shown: Shown, refuse: Refuse) => Promise<Admission> {
  const visits = visitsInMemory()

  /** Takes what is owed, unless it was taken, and gives the answer out. Ends the visit if nothing goes out. */
  async function collect(key: string, shown: Shown, owed: Owed, refuse: Refuse) {
    const given = await pay(key, shown, owed, refuse)
    if (given.kind === 'said') visits.end(key)
    return given
  }

  async function pay(
    key: string,
    { presented, requirement, place }: Shown,
    owed: Owed,
    refuse: Refuse,
  ) {
    if (owed.taken !== undefined) return give(key, owed, owed.taken)
    const isFirst = visits.owed(key) === undefined
    const due = { ...requirement, amount: owed.amount }
    const charging = charge(florin, presented, due, place)
    const charged = await chargeInTime(charging, clock, async (late) => {
      if (late.kind !== 'paid' || visits.done(key) !== undefined) return
      visits.owe(key, { ...owed, taken: late })
      hear.paid(late.paid)
      hear.undelivered(late.paid, TOO_LATE)
    })
    switch (charged.kind) {
      case 'paid':
        hear.paid(charged.paid)
        return give(key, owed, charged)
      case 'repeated':
        return isFirst || charged.paid === null
          ? used(key, charged.paid?.paymentId ?? null)
          : give(key, owed, { paid: charged.paid, response: charged.response })
      case 'refused':
        // The handler has worked for nothing.
        visits.forget(key)
        hear.problem(charged.reason)
        return refuse(charged.reason, charged.response)
      case 'pending':
        visits.owe(key, owed)
        return busy('settlement_pending')
      case 'unavailable':
        visits.owe(key, owed)
        hear.problem(charged.code, charged.cause)
        return busy(UNAVAILABLE)
      default:
        return charged satisfies never
    }
  }

  function used(key: string, paymentId: string | null) {
    visits.finish(key, paymentId)
    return duplicate(paymentId)
  }

  function give(key: string, owed: Owed, taken: NonNullable<Owed['taken']>) {
    const { paid, response } = taken
    visits.owe(key, { ...owed, taken })
    const text = encodeHeader(response)
    let hasEnded = false
    const ended = async (reason?: string) => {
      if (hasEnded) return
      hasEnded = true
      if (reason === undefined) visits.finish(key, paid.paymentId)
      else hear.undelivered(paid, reason)
      visits.end(key)
    }
    const headers = { ...NO_STORE, 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text }
    return { kind: 'kept', answer: owed.answer, admitted: { paid, headers, ended } } as const
  }

  function run(key: string, shown: Shown, refuse: Refuse): Metered {
    const { requirement, presented, place } = shown
    let { amount } = requirement
    return {
      setAmount(said) {
        const units = baseUnitsOf(said, requirement.decimals)
        if (units === undefined || units > BigInt(requirement.amount)) {
          const message = `${said} is no amount up to what the buyer has signed`
          throw new FlorinError({ code: 'INVALID_AMOUNT', message })
        }
        amount = `${units}`
      },
      finish(answer) {
        const { header } = presented
        const { method, resource } = place
        const owed = { header, method, resource, answer, amount, taken: undefined }
        return collect(key, shown, owed, refuse)
      },
      abandon: () => visits.end(key),
    }
  }

  async function refused(charged: Exclude<Charged, { kind: 'paid' }>, key: string, refuse: Refuse) {
    switch (charged.kind) {
      case 'repeated':
        return used(key, charged.paid?.paymentId ?? null)
      case 'refused':
        return refuse(charged.reason, charged.response)
      case 'pending':
        return busy('settlement_pending')
      case 'unavailable':
        hear.problem(charged.code, charged.cause)
        return busy(UNAVAILABLE)
      default:
        return charged satisfies never
    }
  }

  return async (shown, refuse) => {
    const { presented, requirement, place } = shown
    const key = visitOf(presented.payload)
    if (key === undefined) return refuse('invalid_payload')
    const done = visits.done(key)
    if (done !== undefined) return duplicate(done)
    // Whoever asks beside is told to come back: the answer is one, and only its delivery ends the payment.
    if (!visits.begin(key)) return busy('payment_in_use')
    const owed = visits.owed(key)
    if (owed !== undefined) {
      const isSame = owed.method === place.method && owed.resource === place.resource
      if (isSame && owed.header === presented.header) {
        return collect(key, shown, owed, refuse)
      }
      visits.end(key)
      return duplicate(owed.taken?.paid.paymentId ?? null)
    }
    const objection = await look(florin, presented, requirement, place)
    if (objection === null) return { kind: 'metered', metered: run(key, shown, refuse) }
    visits.end(key)
    return refused(objection, key, refuse)
  }
}
