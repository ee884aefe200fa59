import { formatAmount } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { NodeFailure } from '@florin/server/chains/chain.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import { AfterCommit } from '@florin/server/http/after-commit.ts'
import type { Caller } from '@florin/server/kernel/caller.ts'
import { CommitUnknown, StoreUnavailable } from '@florin/server/store/postgres.ts'
import type { Dice } from './dice.ts'
import type { Instance } from './instance.ts'
import { RECIPIENTS, TOKEN } from './networks.ts'

/** Something that somebody wants paid once. No two have the same amount, so that an effect on chain tells whose it is. */
export interface Intent {
  readonly number: number
  readonly wallet: Address
  readonly recipient: Address
  readonly asset: string
  readonly amount: bigint
  /** Without one, every request may pay again. */
  readonly key: string | undefined
  readonly tries: Try[]
}

/** One request for an intent. */
export interface Try {
  readonly actor: string
  /** Another one than the intent's, when the key came with another body. */
  readonly amount: bigint
  readonly hangUp: AbortController
  /** Undefined as long as nothing came back; for ever, when the instance died. */
  answer: Answer | undefined
}

export type Answer =
  | { readonly kind: 'paid'; readonly paymentId: string; readonly status: string }
  /** A payment exists, or may, and this is its id. */
  | { readonly kind: 'named'; readonly paymentId: string }
  /** Nothing was stored. */
  | { readonly kind: 'refused'; readonly code: string }
  /** A bug: nobody foresaw this. */
  | { readonly kind: 'unforeseen'; readonly error: unknown }

/** In base units: 0.001 whole units, the least that may be sent, and then one more for each intent. */
const AMOUNT_MIN = 1_000_000n
const DECIMALS = 9
/** What a repeat with another body asks for more. */
const OTHER_BODY = 1_000_000n

export interface Payers {
  readonly intents: readonly Intent[]
  /** A new wish of somebody, asked for the first time. What is not said is rolled. */
  pay(instance: Instance, actor: string, wish?: Partial<Pick<Intent, 'recipient' | 'key'>>): Intent
  /** An earlier wish once more: the same request, now and then with another body under its key. */
  repeat(instance: Instance, actor: string, intent: Intent): void
  /** Somebody waits no longer. */
  hangUp(): void
  unanswered(): readonly Intent[]
}

export function openPayers({
  caller,
  wallets,
  dice,
}: {
  caller: Caller
  wallets: readonly Address[]
  dice: Dice
}): Payers {
  const intents: Intent[] = []

  function ask(instance: Instance, actor: string, intent: Intent, amount = intent.amount): void {
    const own: Try = { actor, amount, hangUp: new AbortController(), answer: undefined }
    intent.tries.push(own)
    const body = {
      walletAddress: intent.wallet,
      recipientAddress: intent.recipient,
      amount: formatAmount(amount, DECIMALS),
      asset: intent.asset,
      waitFor: dice.pick(['submitted', 'confirmed', 'settled']),
      timeout: dice.between(0, 20),
    }
    // How long somebody waits is no part of what is wanted, but it is part of the body: a repeat sends the same.
    const text = (bodies[intent.number] ??= JSON.stringify(body))
    const request = {
      caller,
      body: amount === intent.amount ? text : JSON.stringify(body),
      idempotencyKey: intent.key,
      clientGone: own.hangUp.signal,
    }
    instance.send(request).then(
      ({ text: answer }) => {
        const { paymentId, status } = JSON.parse(answer) as { paymentId: string; status: string }
        own.answer = { kind: 'paid', paymentId, status }
      },
      (error: unknown) => {
        own.answer = answerOf(error)
      },
    )
  }
  const bodies: string[] = []

  return {
    intents,
    pay: (instance, actor, wish = {}) => {
      const number = intents.length
      const intent: Intent = {
        number,
        wallet: dice.pick(wallets),
        recipient: dice.pick([...RECIPIENTS.keys(), ...wallets]),
        asset: dice.pick(['native', TOKEN]),
        amount: AMOUNT_MIN + BigInt(number),
        key: dice.chance(0.7) ? `key-${number}` : undefined,
        tries: [],
        ...wish,
      }
      intents.push(intent)
      ask(instance, actor, intent)
      return intent
    },
    repeat: (instance, actor, intent) => {
      const other = intent.key !== undefined && dice.chance(0.1)
      ask(instance, actor, intent, other ? intent.amount + OTHER_BODY : intent.amount)
    },
    hangUp: () => {
      const waiting = intents.flatMap(({ tries }) => tries.filter(({ answer }) => !answer))
      if (waiting.length > 0) dice.pick(waiting).hangUp.abort()
    },
    unanswered: () =>
      intents.filter(({ tries }) => tries.every(({ answer }) => answer === undefined)),
  }
}

/** What the edge would have made of an error. */
function answerOf(error: unknown): Answer {
  if (error instanceof AfterCommit) return { kind: 'named', paymentId: error.paymentId }
  if (error instanceof Refusal) {
    const paymentId = error.details?.['paymentId']
    return typeof paymentId === 'string'
      ? { kind: 'named', paymentId }
      : { kind: 'refused', code: error.code }
  }
  const isUnavailable = [StoreUnavailable, NodeFailure, CommitUnknown].some(
    (kind) => error instanceof kind,
  )
  if (isUnavailable) return { kind: 'refused', code: 'NETWORK_ERROR' }
  return { kind: 'unforeseen', error }
}
