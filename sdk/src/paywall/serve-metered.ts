import type { Admitted, Metered } from './admission.ts'
import { NO_STORE } from './answer-headers.ts'
import type { HeldAnswer } from './held.ts'
import { hold } from './hold.ts'
import type { Held } from './hold.ts'
import { CANNOT_BE_SENT, putAll, say, watch } from './node-answer.ts'
import type { NodeResponse } from './node-answer.ts'
import { carryMeter } from './set-amount.ts'

const nothingTaken = (error: string, message: string) =>
  ({ status: 500, headers: NO_STORE, body: { error, message } }) as const

/** What a buyer reads whose answer cannot be held back until it is paid for. Nothing was taken. */
export const TOO_LONG = nothingTaken(
  'answer_too_long',
  'The answer was too long to be sold. Nothing was taken.',
)
/** What a buyer reads of whose answer nothing can be sent. Nothing was taken. */
export const UNSENDABLE = nothingTaken(
  'answer_not_sendable',
  'The answer was none that can be sent. Nothing was taken.',
)

/**
 * Holds what a handler of Node's `http` answers until it is paid for. To be called before the handler runs.
 * `carriers`: what the handler has in hand when it says the amount.
 */
export function serveMetered(
  response: NodeResponse,
  metered: Metered,
  carriers: readonly object[],
): void {
  carryMeter([response, ...carriers], (amount) => metered.setAmount(amount))
  const { held, handlerEnded, release } = hold(response)

  async function conclude(outcome: Held): Promise<void> {
    switch (outcome.kind) {
      case 'gone':
        return metered.abandon(handlerEnded)
      case 'too_long':
      case 'unsendable':
        metered.abandon(handlerEnded)
        release('cleared')
        return say(response, outcome.kind === 'too_long' ? TOO_LONG : UNSENDABLE)
      case 'answered': {
        const { answer } = outcome
        if (answer.status >= 400) {
          metered.abandon()
          release('kept')
          putAll(response, NO_STORE)
          return send(response, answer)
        }
        const admission = await metered.finish(answer)
        if (admission.kind === 'kept') {
          return deliver(response, admission.answer, admission.admitted, () => release('emptied'))
        }
        release('cleared')
        return say(response, admission.said)
      }
      default:
        return outcome satisfies never
    }
  }

  // Nobody catches what is thrown here, and the process would end.
  void held.then(conclude).catch(() => void response.destroy())
}

/** Sends an answer that was paid for, and watches what becomes of it. Throws nothing: the money is taken. */
export function deliver(
  response: NodeResponse,
  answer: HeldAnswer,
  admitted: Admitted,
  prepare: () => void = () => undefined,
): void {
  try {
    prepare()
    // Whatever else is going out is not ours to break.
    if (response.headersSent) return void watch(response, admitted)
    response.statusCode = answer.status
    for (const [name, value] of answer.headers) response.setHeader(name, value)
    if (watch(response, admitted)) send(response, answer)
  } catch {
    void admitted.ended(CANNOT_BE_SENT)
    response.destroy()
  }
}

function send(response: NodeResponse, { parts }: HeldAnswer): void {
  for (const [part, encoding] of parts) response.write(part, encoding)
  response.end()
}
