import { STATUS_CODES } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import { fromLibrary } from './library-errors.ts'
import { problem } from './problem.ts'
import type { Problem } from './problem.ts'
import { writeJson } from './write-json.ts'

/** Headers of every answer. */
export const ANSWER_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

export interface Failures {
  /** Answers a request with what was thrown, and logs what nobody foresaw. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void
  /** Answers a request whose URL could not be read: no hook has seen it, and none will. */
  refuseUrl(error: unknown, request: FastifyRequest, reply: FastifyReply): void
  /** Bytes that are not HTTP, or come too slowly: there is no request to answer, only a socket. */
  refuseSocket(error: Error, socket: Socket): void
  /** Answers a request that reached no library, with what was thrown. */
  refuseRequest(error: unknown, response: ServerResponse): void
  /** Answers a request for another protocol, of which only the socket is left; `told`: headers beside those of every answer. */
  refuseUpgrade(error: unknown, socket: Duplex, told: Readonly<Record<string, string>>): void
}

export function openFailures(options: {
  readonly log: Log
  readonly clock: Clock
  readonly random: Random
  baseUrl(): string
  isUnavailable(error: unknown): boolean
  /** Whether a request of this path says by itself, when it changes, what is wrong. */
  isProbe(path: string): boolean
  /** Told of what was refused before it was a request, with the status that it was given. */
  onUnread(status: number): void
}): Failures {
  const { log, clock, random, isUnavailable } = options

  function describe(error: unknown, requestId: string): Problem {
    const baseUrl = options.baseUrl()
    const nowMilliseconds = clock.nowMilliseconds()
    return problem(fromLibrary(error), { requestId, nowMilliseconds, baseUrl, isUnavailable })
  }

  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply): number => {
    const { code, status, headers, body, unforeseen } = describe(error, request.id)
    request.errorCode = code
    if (unforeseen || status >= 500) {
      const route = request.routeOptions.config.path
      const facts = { requestId: request.id, method: request.method, route, status }
      if (unforeseen) log.error({ ...facts, err: error }, 'a request failed')
      else if (route === undefined || !options.isProbe(route)) {
        log.warn({ ...facts, reason: error }, 'a request could not be served')
      }
    }
    // A reply is thenable; what it would wait for is its own business.
    void reply
      .code(status)
      .headers({ ...ANSWER_HEADERS, 'x-request-id': request.id, ...headers })
      .send(writeJson(body))
    return status
  }

  /** The whole answer to what has no request of the library, logged under `what` where nobody foresaw it. */
  function whole(error: unknown, what: string) {
    const requestId = newId(random, 'req')
    const { status, headers, body, unforeseen } = describe(error, requestId)
    if (unforeseen) log.error({ requestId, status, err: error }, what)
    options.onUnread(status)
    const text = writeJson(body)
    const own = { 'x-request-id': requestId, 'content-length': Buffer.byteLength(text) }
    return { status, headers: { ...ANSWER_HEADERS, ...headers, ...own }, text }
  }

  /** By hand, then the end of the connection. */
  function end(error: unknown, socket: Duplex, told: Readonly<Record<string, string>> = {}): void {
    const { status, headers, text } = whole(error, 'a connection failed')
    const head = Object.entries({ ...told, ...headers, connection: 'close' })
    const reason = status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? 'Error')
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines}\r\n${text}`)
  }

  return {
    answer: (error, request, reply) => void answer(error, request, reply),
    refuseUrl: (error, request, reply) => options.onUnread(answer(error, request, reply)),
    refuseSocket: (error, socket) => {
      if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
        socket.destroy()
        return
      }
      end(error, socket)
    },
    refuseRequest: (error, response) => {
      const { status, headers, text } = whole(error, 'a request failed')
      response.writeHead(status, headers).end(text)
    },
    refuseUpgrade: end,
  }
}
