import type { Florin } from '../florin.ts'
import { FlorinError } from '../florin-error.ts'
import { busy, UNAVAILABLE } from './admission.ts'
import type { Admission } from './admission.ts'
import { openGate } from './gate.ts'
import { answerHono } from './hono-answer.ts'
import { watchVisit } from './hono-context.ts'
import type { HonoContext } from './hono-context.ts'
import {
  ANSWERED_ELSEWHERE,
  askedOf,
  CANNOT_BE_SENT,
  isGone,
  say,
  sayBroken,
  watch,
} from './node-answer.ts'
import { deliver, serveMetered } from './serve-metered.ts'
import type { NodeRequest, NodeResponse } from './node-answer.ts'
import { onFastifyThrow } from './fastify-throws.ts'
import { headersIn } from './node-headers.ts'
import type { PaywallOptions } from './price.ts'
import { tellProblem } from './tell-problem.ts'
import { turnAway } from './turn-away.ts'

/** What is needed of a request and an answer of Fastify. */
export interface FastifyRequest {
  readonly raw: NodeRequest
}
export interface FastifyReply {
  readonly raw: NodeResponse
  readonly sent: boolean
  getHeaders(): Readonly<Record<string, number | string | readonly string[] | undefined>>
  hijack(): unknown
}

/** One function for Express, Hono, and as `preHandler` for Fastify. */
export interface Paywall {
  (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined>
  (request: FastifyRequest, reply: FastifyReply): Promise<unknown>
  (request: NodeRequest, response: NodeResponse, next: () => void): Promise<void>
}

/**
 * Lets a request through to its handler once it is paid for. Asks for payment in both versions of x402, so that every
 * client can pay; settles through the service; and only then runs the handler, once per proof.
 *
 *     app.get('/report', paywall(florin, price), handler)                   Express, Hono
 *     app.get('/report', { preHandler: paywall(florin, price) }, handler)   Fastify
 *
 * An answer of 400 or more, a handler that throws, and a connection that breaks before anything was sent deliver nothing:
 * the buyer may ask again with the same proof, three times at most, and `onUndelivered` is told. While the service cannot be asked the answer is 503, never 402 and
 * never the goods.
 *
 * A price with the scheme `upto` is taken after the handler: see setAmount. Its answer is held back until then, 8 MiB at
 * most, and an answer of 400 or more takes nothing.
 */
export function paywall(
  florin: Pick<Florin, 'networks' | 'x402'>,
  options: PaywallOptions,
): Paywall {
  const admit = openGate(florin, options)

  async function hono(context: HonoContext, next: () => Promise<void>) {
    const { raw } = context.req
    const header = (name: string) => raw.headers.get(name) ?? undefined
    const visit = watchVisit(context)
    const admission = await admit({ url: raw.url, method: raw.method, header })
    return answerHono(context, next, admission, visit)
  }

  async function fastify(request: FastifyRequest, reply: FastifyReply) {
    const admission = await admit(askedOf(request.raw))
    // Who has taken the reply answers it, whatever that is.
    if (reply.sent) {
      await turnAway(admission, ANSWERED_ELSEWHERE)
      return reply
    }
    // Its own are put on by Fastify where the handler answers; whatever goes out past it has them as well, or no page of another origin may read it.
    if (admission.kind !== 'admitted') copyHeaders(reply)
    if (begins(reply.raw, admission, [request, request.raw, reply])) {
      onFastifyThrow(reply, (error) => threwHijacked(reply, error))
      return undefined
    }
    reply.hijack()
    ends(reply.raw, admission)
    return reply
  }

  /** Fastify answers for a handler that threw, but where that has taken the reply. */
  function threwHijacked(reply: FastifyReply, error: unknown): void {
    if (!reply.sent || reply.raw.writableEnded) return
    void tellProblem(options, 'handler_threw', error)
    sayBroken(reply.raw)
  }

  // Without a framework, or with Express 4, nobody catches what is thrown here, and the process ends.
  async function express(request: NodeRequest, response: NodeResponse, next: () => void) {
    const asking = async () => admit(askedOf(request))
    const admission = await asking().catch((error: unknown) => busy(UNAVAILABLE, !isSetting(error)))
    if (!begins(response, admission, [request])) return ends(response, admission)
    try {
      const ran: unknown = next()
      await ran
    } catch (error) {
      void tellProblem(options, 'handler_threw', error)
      sayBroken(response)
    }
  }

  function wall(context: HonoContext, next: () => Promise<void>): Promise<Response | undefined>
  function wall(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
  function wall(request: NodeRequest, response: NodeResponse, next: () => void): Promise<void>
  // Two parameters by the count of the language: Fastify takes an async hook with three for a mistake.
  async function wall(
    first: HonoContext | FastifyRequest | NodeRequest,
    second: (() => Promise<void>) | FastifyReply | NodeResponse,
    ...[third]: [(() => void)?]
  ): Promise<unknown> {
    if ('req' in first && typeof second === 'function') return hono(first, second)
    if ('raw' in first && 'raw' in second) return fastify(first, second)
    if ('headers' in first && 'setHeader' in second && third !== undefined) {
      return express(first, second, third)
    }
    throw new TypeError('a paywall stands before a handler of Express, Hono or Fastify')
  }
  return wall
}

/** Puts what hooks have said of the answer on what Fastify stands on. */
function copyHeaders(reply: Pick<FastifyReply, 'raw' | 'getHeaders'>): void {
  const { raw } = reply
  if (raw.headersSent) return
  for (const [name, value] of headersIn(reply.getHeaders())) raw.setHeader(name, value)
}

/** Whether the handler is to run; if so, what it answers is watched, or held. Never throws. */
function begins(
  response: NodeResponse,
  admission: Admission,
  carriers: readonly object[],
): boolean {
  try {
    if (admission.kind === 'admitted') return watch(response, admission.admitted)
    if (admission.kind !== 'metered') return false
    const isOpen = !response.headersSent && !isGone(response)
    if (isOpen) serveMetered(response, admission.metered, carriers)
    else admission.metered.abandon()
    return isOpen
  } catch {
    void turnAway(admission, CANNOT_BE_SENT)
    response.destroy()
    return false
  }
}

/** Answers in place of the handler, where there is an answer. Never throws. */
function ends(response: NodeResponse, admission: Admission): void {
  try {
    if (admission.kind === 'said') say(response, admission.said)
    if (admission.kind === 'kept') deliver(response, admission.answer, admission.admitted)
  } catch {
    response.destroy()
  }
}

/** Then nobody was asked to pay. */
function isSetting(error: unknown): boolean {
  return error instanceof FlorinError && error.code === 'INVALID_SETTING'
}
