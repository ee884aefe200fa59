import { Refusal } from '@florin/wire/errors.ts'
import { NodeFailure } from '@florin/server/chains/chain.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import type { Caller } from '@florin/server/kernel/caller.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { CommitUnknown, StoreUnavailable } from '@florin/server/store/postgres.ts'
import type { Dice } from './dice.ts'
import type { Instance } from './instance.ts'
import { BUYERS, SELLERS, SETTLERS, TOKEN } from './networks.ts'

/** A buyer's authorization in a seller's hands, to be settled once. No two have the same amount. */
export interface Sale {
  readonly number: number
  readonly payer: Address
  readonly payTo: Address
  readonly amount: bigint
  readonly nonce: string
  /** Unix seconds, on a chain of places. */
  readonly validBefore: bigint
  /** The last height, on a chain of lifetimes. */
  readonly lifetime: bigint
  readonly feePayer: Address
  readonly tries: SaleTry[]
}

export interface SaleTry {
  readonly actor: string
  readonly hangUp: AbortController
  /** The answer is lost on its way, which the edge notices. */
  readonly isLost: boolean
  answer: SaleAnswer | undefined
}

export type SaleAnswer =
  | { readonly kind: 'success' | 'lost success'; readonly transaction: string }
  /** `isNamed`: it names a payment, so it tells what became of a claim. */
  | {
      readonly kind: 'no'
      readonly reason: string
      readonly isNamed: boolean
      readonly saidAtMilliseconds: number
    }
  /** The service could not say. */
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'unforeseen'; readonly error: unknown }

export interface Sellers {
  readonly sales: readonly Sale[]
  sell(instance: Instance, actor: string): void
  repeat(instance: Instance, actor: string, sale: Sale): void
  hangUp(): void
}

/** Others than those of payments. */
const AMOUNT_MIN = 1_500_000n
const LOST_SHARE = 0.15

export function openSellers({
  caller,
  config,
  dice,
  nowMilliseconds,
  height,
}: {
  caller: Caller
  config: NetworkConfig
  dice: Dice
  nowMilliseconds: () => number
  height: () => bigint
}): Sellers {
  const sales: Sale[] = []

  function ask(instance: Instance, actor: string, sale: Sale): void {
    const own: SaleTry = {
      actor,
      hangUp: new AbortController(),
      isLost: dice.chance(LOST_SHARE),
      answer: undefined,
    }
    sale.tries.push(own)
    const body = JSON.stringify(bodyOf(sale, config))
    instance
      .settle({ caller, body, idempotencyKey: undefined, clientGone: own.hangUp.signal })
      .then(
        ({ text, undelivered }) => {
          const isLost = own.isLost || own.hangUp.signal.aborted
          if (isLost) undelivered?.()
          own.answer = readAnswer(text, isLost, nowMilliseconds())
        },
        (error: unknown) => {
          const isUnavailable = [StoreUnavailable, NodeFailure, CommitUnknown, Refusal].some(
            (kind) => error instanceof kind,
          )
          own.answer = isUnavailable ? { kind: 'unavailable' } : { kind: 'unforeseen', error }
        },
      )
  }

  return {
    sales,
    sell: (instance, actor) => {
      const number = sales.length
      const sale: Sale = {
        number,
        payer: dice.pick(BUYERS),
        payTo: dice.pick(SELLERS),
        amount: AMOUNT_MIN + BigInt(number),
        nonce: `n${number}`,
        validBefore: BigInt(Math.floor(nowMilliseconds() / 1_000) + dice.between(8, 120)),
        lifetime: height() + BigInt(dice.between(3, 40)),
        feePayer: dice.pick(SETTLERS),
        tries: [],
      }
      sales.push(sale)
      ask(instance, actor, sale)
    },
    repeat: ask,
    hangUp: () => {
      const waiting = sales.flatMap(({ tries }) => tries.filter(({ answer }) => !answer))
      if (waiting.length > 0) dice.pick(waiting).hangUp.abort()
    },
  }
}

function bodyOf(sale: Sale, { network }: NetworkConfig) {
  const { payer, payTo, amount, nonce, validBefore, lifetime, feePayer } = sale
  const paymentRequirements = {
    scheme: 'exact',
    network,
    asset: TOKEN,
    payTo,
    amount: `${amount}`,
    maxTimeoutSeconds: 60,
    extra: {},
  }
  const payload = {
    from: payer,
    nonce,
    validBefore: `${validBefore}`,
    lifetime: `${lifetime}`,
    feePayer,
  }
  const paymentPayload = { x402Version: 2, accepted: paymentRequirements, payload }
  return { x402Version: 2, paymentPayload, paymentRequirements }
}

function readAnswer(text: string, isLost: boolean, saidAtMilliseconds: number): SaleAnswer {
  const { success, errorReason, transaction, extra } = JSON.parse(text) as {
    success: boolean
    errorReason?: string
    transaction: string
    extra?: { paymentId?: string }
  }
  const isNamed = extra?.paymentId !== undefined
  if (!success) return { kind: 'no', reason: errorReason ?? '', isNamed, saidAtMilliseconds }
  return { kind: isLost ? 'lost success' : 'success', transaction }
}
