import type { Admitted, Metered } from './admission.ts'
import { NO_STORE } from './admission.ts'
import type { HeldAnswer } from './held.ts'
import { hold } from './hold.ts'
import { say, watch } from './node-answer.ts'
import type { NodeResponse } from './node-answer.ts'
import { carryMeter } from './set-amount.ts'

/** What a buyer reads whose answer cannot be held back until it is paid for. Nothing was taken. */
export const TOO_LONG = {
  status: 500,
  headers: NO_STORE,
  body: {
    error: 'answer_too_long',
    message: 'The answer was too long to be sold. Nothing was taken.',
  },
} as const

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
  const { held, release } = hold(response)
  void held.then(async (outcome) => {
    if (outcome.kind === 'gone') return metered.abandon()
    if (outcome.kind === 'too_long') {
      metered.abandon()
      release('cleared')
      return say(response, TOO_LONG)
    }
    const { answer } = outcome
    if (answer.status >= 400) {
      metered.abandon()
      release('kept')
      response.setHeader('Cache-Control', NO_STORE['Cache-Control'])
      return send(response, answer)
    }
    const admission = await metered.finish(answer)
    release('cleared')
    conclude(response, admission)
  })
}

function conclude(response: NodeResponse, admission: Awaited<ReturnType<Metered['finish']>>): void {
  if (admission.kind === 'said') say(response, admission.said)
  else deliver(response, admission.answer, admission.admitted)
}

/** Sends an answer that was paid for, and watches what becomes of it. */
export function deliver(response: NodeResponse, answer: HeldAnswer, admitted: Admitted): void {
  response.statusCode = answer.status
  for (const [name, value] of answer.headers) response.setHeader(name, value)
  if (watch(response, admitted)) send(response, answer)
}

function send(response: NodeResponse, { parts }: HeldAnswer): void {
  for (const [part, encoding] of parts) response.write(part, encoding)
  response.end()
}
