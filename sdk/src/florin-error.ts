import type { ErrorCode } from './contract/error-code.ts'

/**
 * What the client itself may have to say. `NO_ANSWER`: nobody answered, the answer was torn, or nobody can say any more what became
 * of what was sent. `BAD_ANSWER`: something answered that is not a Florin service. `ABORTED`: by your signal. `WAIT_OVER`: the payment
 * is still under way. `PAYMENT_ENDED`: it failed or expired, so what was waited for cannot come any more. `NOT_ACCEPTED`: every node
 * refused what your wallet signed. `BUILD_DIFFERS`: the service built something else than was ordered, and nothing was signed.
 */
export type ClientCode =
  | 'NO_ANSWER'
  | 'BAD_ANSWER'
  | 'ABORTED'
  | 'WAIT_OVER'
  | 'PAYMENT_ENDED'
  | 'NOT_ACCEPTED'
  | 'BUILD_DIFFERS'
  | 'INVALID_SETTING'

/** A code of the service's catalogue, of the client, or of a service that is newer than this client. */
export type FlorinErrorCode = ErrorCode | ClientCode | (string & Record<never, never>)

export interface FlorinErrorFacts {
  readonly code: FlorinErrorCode
  readonly message: string
  readonly status?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly retryAfter?: number | undefined
  readonly requestId?: string | undefined
  readonly docs?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly outcomeUnknown?: boolean
  readonly tries?: number
  readonly cause?: unknown
}

/** Every way in which a call can fail. It holds nothing secret: print it as you like. */
export class FlorinError extends Error {
  override readonly name = 'FlorinError'
  /** What to act on. */
  readonly code: FlorinErrorCode
  /** HTTP status; undefined when there was no answer. */
  readonly status: number | undefined
  /** Facts of a refusal: of a validation error, each bad field and the rule it broke. */
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Seconds after which the same request may be sent again. */
  readonly retryAfter: number | undefined
  /** What the operator of the service can look for. */
  readonly requestId: string | undefined
  /** The page about this code. */
  readonly docs: string | undefined
  /** The key that the request was sent under: with it the same request is safe to repeat. */
  readonly idempotencyKey: string | undefined
  /** True when the service may have done what was asked although nobody can say so. Repeat only under the same key. */
  readonly outcomeUnknown: boolean
  /** How many requests were sent. */
  readonly tries: number

  constructor(facts: FlorinErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.status = facts.status
    this.details = facts.details
    this.retryAfter = facts.retryAfter
    this.requestId = facts.requestId
    this.docs = facts.docs
    this.idempotencyKey = facts.idempotencyKey
    this.outcomeUnknown = facts.outcomeUnknown ?? false
    this.tries = facts.tries ?? 0
  }

  /** The facts, without the stack. */
  toJSON(): FlorinErrorFacts {
    const { code, message, status, details, retryAfter, requestId, docs } = this
    const { idempotencyKey, outcomeUnknown, tries } = this
    const facts = { code, message, status, details, retryAfter, requestId, docs }
    return { ...facts, idempotencyKey, outcomeUnknown, tries }
  }
}
