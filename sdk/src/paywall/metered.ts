import { baseUnitsOf } from '../base-units.ts'
import type { Clock } from '../clock.ts'
import type { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { limits } from '../limits.ts'
import { busy, duplicate, UNAVAILABLE } from './admission.ts'
import type { Admission, Metered } from './admission.ts'
import { chargeInTime, TOO_LATE } from './charge-in-time.ts'
import type { Charging } from './charge-in-time.ts'
import { charge, look, takenBy, waitOf } from './charge.ts'
import type { Charged } from './charge.ts'
import type { Place } from './demand.ts'
import type { HandOver, Taken } from './hand-over.ts'
import type { Presented } from './presented.ts'
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

/** Why nothing will go out for money that was taken. */
const NOT_KEPT = 'the answer was not kept'

/**
 * Serves payments by `upto`. The payment is looked at, the handler runs once, and its answer is held until what it cost
 * was taken. An answer whose settlement is open, or that never reached its buyer, is kept for the same payment and the same
 * address; the handler does not run again, so that nobody gets a dear answer for the price of a cheap one.
 */
export function openMeter(
  florin: Pick<Florin, 'x402'>,
  clock: Clock,
  handOver: HandOver,
  problem: (code: string, cause?: unknown) => void,
): (shown: Shown, refuse: Refuse) => Promise<Admission> {
  const visits = visitsInMemory()
  /** Settlements under way. Whoever asks again joins: two at once could not tell which of them took the money. */
  const charges = new Map<string, Charging>()

  /** Takes what is owed, unless it was taken, and gives the answer out. Ends the visit if nothing goes out. */
  async function collect(key: string, shown: Shown, owed: Owed, refuse: Refuse) {
    const given = await pay(key, shown, owed, refuse)
    if (given.kind === 'said') visits.end(key)
    return given
  }

  async function pay(key: string, shown: Shown, owed: Owed, refuse: Refuse) {
    if (owed.taken !== undefined) return give(key, owed, owed.taken)
    const charged = await chargingOf(key, shown, owed).wait()
    const done = visits.done(key)
    if (done !== undefined) return duplicate(done)
    switch (charged.kind) {
      case 'paid':
      case 'repeated': {
        const taken = takenBy(charged, owed.wasLost)
        if (taken === undefined || taken.taken === 'before') return used(key, taken)
        return give(key, owed, taken)
      }
      case 'refused':
        // The handler has worked for nothing.
        visits.forget(key)
        problem(charged.reason)
        return refuse(charged.reason, charged.response)
      case 'pending':
        keep(key, owed, charged)
        return busy('settlement_pending')
      case 'unavailable':
        keep(key, owed, charged)
        problem(charged.code, charged.cause)
        return busy(UNAVAILABLE)
      default:
        return charged satisfies never
    }
  }

  function chargingOf(key: string, { presented, requirement, place }: Shown, owed: Owed) {
    const known = charges.get(key)
    if (known !== undefined) return known
    const due = { ...requirement, amount: owed.amount }
    const charging = chargeInTime(
      charge(florin, presented, due, place),
      clock,
      { missed: (charged) => missed(key, charged), over: () => void charges.delete(key) },
      waitOf(presented),
    )
    charges.set(key, charging)
    return charging
  }

  /** A settlement has come that nobody waits for: what it was for is still owed, unless there was no room for it. */
  async function missed(key: string, charged: Charged): Promise<void> {
    const owed = visits.owed(key)
    switch (charged.kind) {
      case 'paid':
      case 'repeated': {
        const taken = takenBy(charged, owed?.wasLost ?? false)
        if (taken === undefined || taken.taken === 'before') return void used(key, taken)
        const reason = owed?.answer === undefined ? NOT_KEPT : TOO_LATE
        const isOurs = await handOver.miss(taken, reason)
        // Others may have taken its room meanwhile.
        const kept = visits.owed(key)
        if (!isOurs || kept?.answer === undefined) used(key, taken)
        else visits.owe(key, { ...kept, taken })
        return
      }
      case 'refused':
        visits.forget(key)
        return problem(charged.reason)
      case 'pending':
        return keep(key, owed, charged)
      case 'unavailable':
        keep(key, owed, charged)
        return problem(charged.code, charged.cause)
      default:
        return charged satisfies never
    }
  }

  function keep(key: string, owed: Owed | undefined, { wasLost }: { readonly wasLost: boolean }) {
    if (owed !== undefined) visits.owe(key, { ...owed, wasLost: owed.wasLost || wasLost })
  }

  function used(key: string, taken: Taken | undefined) {
    const paymentId = taken?.paid.paymentId ?? null
    visits.finish(key, paymentId)
    return duplicate(paymentId)
  }

  async function give(key: string, owed: Owed, taken: Taken) {
    const { answer } = owed
    if (answer === undefined) {
      await handOver.miss(taken, NOT_KEPT)
      return used(key, taken)
    }
    const handed = await handOver.admit(taken)
    switch (handed.kind) {
      case 'used':
        return used(key, taken)
      case 'unrecorded':
        visits.owe(key, { ...owed, taken })
        return busy(UNAVAILABLE)
      case 'admitted': {
        const { admitted } = handed
        // What is going out takes no room from what waits.
        visits.forget(key)
        let hasEnded = false
        const ended = async (reason?: string) => {
          if (hasEnded) return
          hasEnded = true
          if (reason === undefined) visits.finish(key, taken.paid.paymentId)
          else if (visits.done(key) === undefined) visits.owe(key, { ...owed, taken })
          await admitted.ended(reason)
          visits.end(key)
        }
        return { kind: 'kept', answer, admitted: { ...admitted, ended } } as const
      }
      default:
        return handed satisfies never
    }
  }

  function run(key: string, shown: Shown, refuse: Refuse): Metered {
    const { requirement, presented, place } = shown
    let { amount } = requirement
    let isOpen = true
    return {
      setAmount(said) {
        if (!isOpen) return false
        const units = baseUnitsOf(said, requirement.decimals)
        if (units === undefined || units > BigInt(requirement.amount)) {
          const message = `${said} is no amount up to what the buyer has signed`
          throw new FlorinError({ code: 'INVALID_AMOUNT', message })
        }
        amount = `${units}`
        return true
      },
      finish(answer) {
        isOpen = false
        const { header } = presented
        const { method, resource } = place
        const asked = { header, method, resource }
        const owed = { ...asked, answer, amount, wasLost: false, taken: undefined }
        return collect(key, shown, owed, refuse)
      },
      abandon(handlerEnded) {
        if (handlerEnded === undefined) return visits.end(key)
        const isOver = new AbortController()
        const bound = clock.sleep(limits.paywallHandlerMilliseconds, isOver.signal)
        void Promise.race([handlerEnded, bound]).then(() => {
          isOver.abort()
          visits.end(key)
        })
      },
    }
  }

  async function refused(charged: Exclude<Charged, { kind: 'paid' }>, key: string, refuse: Refuse) {
    switch (charged.kind) {
      case 'repeated':
        return used(key, takenBy(charged, false))
      case 'refused':
        return refuse(charged.reason, charged.response)
      case 'pending':
        return busy('settlement_pending')
      case 'unavailable':
        problem(charged.code, charged.cause)
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
      if (!isSame || owed.header !== presented.header) {
        visits.end(key)
        return duplicate(owed.taken?.paid.paymentId ?? null)
      }
      if (owed.answer !== undefined || charges.has(key)) return collect(key, shown, owed, refuse)
    }
    const objection = await look(florin, presented, requirement, place)
    if (objection === null) {
      // Also where an answer was not kept: its payment was not taken, so it may buy another.
      visits.forget(key)
      return { kind: 'metered', metered: run(key, shown, refuse) }
    }
    // Whether the money for an answer that was not kept was taken says the settlement.
    if (owed !== undefined) return collect(key, shown, owed, refuse)
    visits.end(key)
    return refused(objection, key, refuse)
  }
}
