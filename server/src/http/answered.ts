import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../kernel/log.ts'

/** A request that is over, for metrics. */
export interface Answered {
  /** The operation's path with `{name}` for what varies; null when the request named none. */
  readonly route: string | null
  /** As the client sent it. */
  readonly method: string
  /** Null when the client was gone before the whole answer was written. */
  readonly status: number | null
  readonly milliseconds: number
}

/** Notes a request that is over, once: in the log, and wherever it is counted. */
export function openAnswered(options: {
  readonly log: Log
  /** Asked by machines every second: their answers are told at debug only. */
  isQuiet(path: string): boolean
  onAnswered(answered: Answered): void
}): (request: FastifyRequest, reply: FastifyReply, milliseconds: number) => void {
  const { log, isQuiet, onAnswered } = options
  return (request, reply, milliseconds) => {
    const { caller, method, person } = request
    const route = request.is404 ? null : (request.routeOptions.config.path ?? null)
    const status = reply.raw.writableFinished ? reply.statusCode : null
    onAnswered({ route, method, status, milliseconds })
    const facts = {
      requestId: request.id,
      method,
      // Never the path itself: what stands in it is the caller's.
      route: route ?? 'unmatched',
      status: reply.statusCode,
      milliseconds,
      errorCode: request.errorCode,
      ...(status === null ? { isGone: true } : {}),
      ...(caller === undefined ? {} : { accountId: caller.accountId }),
      ...(person === undefined
        ? { keyId: caller?.keyId }
        : { sessionId: person.sessionId, memberId: person.memberId }),
    }
    if (route !== null && isQuiet(route)) log.debug(facts, 'answered')
    else log.info(facts, 'answered')
  }
}
