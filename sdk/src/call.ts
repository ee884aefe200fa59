import type { Connection } from './connection.ts'
import { operations } from './contract/operations.ts'
import type { Operations } from './contract/shapes.ts'
import { errorOf } from './error-of.ts'
import { FlorinError } from './florin-error.ts'
import { limits } from './limits.ts'
import { prepare } from './prepare.ts'
import type { Input } from './prepare.ts'
import { isSellerAway, isUnclear, mayRepeat, pauseMilliseconds } from './retry.ts'
import { tryOnce } from './try-once.ts'

/** For every call. */
export interface CallOptions {
  /** Ends the call. What was sent may still take effect: see FlorinError.outcomeUnknown. */
  readonly signal?: AbortSignal | undefined
}

/** For calls that make or move something. */
export interface IntentOptions extends CallOptions {
  /**
   * Names the intent, 1 to 255 visible ASCII characters: best a name out of your own records, so that a repeat after a
   * crash is the same intent. Made at random when left out, and the same for all tries of one call.
   */
  readonly idempotencyKey?: string | undefined
}

export interface Sending<Answer> extends IntentOptions {
  /** Seconds that the service itself is asked to wait. */
  readonly waitSeconds?: number
  /** An answer that is not an end yet: the identical request is sent again, within the same bounds. */
  readonly isOpen?: (answer: Answer) => boolean
  /** Told of every try after which nobody knows what it did. */
  readonly onUnclear?: () => void
  /** Told of every try whose answer was lost, or was none of the service's. */
  readonly onLost?: () => void
}

/**
 * Calls one operation of the service, with all its tries.
 * @throws {FlorinError} with the last refusal, or why there is no answer.
 */
export async function call<Id extends keyof Operations>(
  connection: Connection,
  id: Id,
  input: Input<Id>,
  options: Sending<Operations[Id]['answer']> = {},
): Promise<Operations[Id]['answer']> {
  const { method, repeat, foreign } = operations[id]
  const { clock, random, triesMax, totalMilliseconds } = connection
  const { signal, waitSeconds = 0, isOpen, onUnclear, onLost } = options
  const { idempotencyKey, ...request } = prepare(connection, id, input, options.idempotencyKey)
  const longest = limits.tryMilliseconds + waitSeconds * 1000
  const deadline = clock.now() + totalMilliseconds
  let outcomeUnknown = false
  let sellerAway = 0
  for (let tries = 1; ; tries += 1) {
    const stopIfAborted = (sent: number) => {
      if (signal?.aborted !== true) return
      const [message, facts] = ['the call was aborted', { idempotencyKey, outcomeUnknown }]
      throw new FlorinError({
        code: 'ABORTED',
        message,
        cause: signal.reason,
        tries: sent,
        ...facts,
      })
    }
    stopIfAborted(tries - 1)
    const milliseconds = Math.min(longest, deadline - clock.now())
    const outcome = await tryOnce(connection, {
      ...request,
      foreign,
      milliseconds,
      signal,
    })
    if (outcome.kind === 'answered') {
      const { answer } = outcome
      if (!isAnswer(id, answer)) throw strange(connection, { idempotencyKey, tries })
      if (isOpen === undefined || !isOpen(answer)) return answer
      onUnclear?.()
      const wait = pauseMilliseconds(tries, undefined, random)
      if (tries >= triesMax || clock.now() + wait >= deadline) return answer
      await clock.sleep(wait, signal)
      continue
    }
    if (isUnclear(outcome)) {
      onUnclear?.()
      onLost?.()
    }
    outcomeUnknown ||= method !== 'GET' && isUnclear(outcome)
    stopIfAborted(tries)
    const error = errorOf(outcome, { idempotencyKey, outcomeUnknown, tries })
    const wait = pauseMilliseconds(tries, error.retryAfter, random)
    if (isSellerAway(outcome)) sellerAway += 1
    const isEnough = tries >= triesMax || sellerAway >= limits.sellerAwayMax
    const isLast = isEnough || clock.now() + wait >= deadline
    if (isLast || !mayRepeat(outcome, repeat)) throw error
    await clock.sleep(wait, signal)
  }
}

/** Whether an answer has every field that the contract promises; what a newer service adds is left in. */
function isAnswer<Id extends keyof Operations>(
  id: Id,
  answer: object,
): answer is Operations[Id]['answer'] {
  return operations[id].required.every((name) => name in answer)
}

function strange(
  { baseUrl }: Connection,
  facts: { idempotencyKey: string | undefined; tries: number },
): FlorinError {
  const message = `what answers at ${baseUrl} is not a Florin service of this version`
  return new FlorinError({ code: 'BAD_ANSWER', message, outcomeUnknown: true, ...facts })
}
