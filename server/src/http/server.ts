import type { Socket } from 'node:net'
import fastify from 'fastify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '@florin/wire/errors.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import { healthRoutes } from './health.ts'
import type { Readiness } from './health.ts'
import { methodsByPath, spellings } from './paths.ts'
import { problem } from './problem.ts'
import type { Problem } from './problem.ts'
import { headerValues, readIdempotencyKey, refuseForeignEncodings } from './request-headers.ts'
import type { Route } from './route.ts'
import { writeJson } from './write-json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    startedAtMilliseconds: number
  }
}

export interface ServerOptions {
  readonly routes: readonly Route[]
  /** From the values of the Authorization header to who is asking; throws Refusal UNAUTHORIZED. */
  authenticate(authorization: readonly string[]): Promise<Caller>
  /** Throws Refusal FORBIDDEN when the caller's plan or scopes do not include the operation. */
  permit(caller: Caller, endpoint: Endpoint): void
  readonly log: Log
  readonly clock: Clock
  readonly random: Random
  readonly readiness: Readiness
  readonly limits: typeof limits
  isUnavailable(error: unknown): boolean
  /** The address that callers know; left out, the one that was listened on. */
  readonly publicUrl?: string
  /** Check every answer against its row: for tests. */
  readonly checkAnswers?: boolean
}

export interface Server {
  /** Port 0 takes any free one. */
  listen(where: { host: string; port: number }): Promise<{ url: string; port: number }>
  /** Takes no new work, lets what is in flight finish within limits.drainSeconds, then ends every connection. */
  close(): Promise<void>
}

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** The edge: one HTTP server in front of the routes. Nothing above this file sees the HTTP library. */
export function openServer(options: ServerOptions): Server {
  const { clock, limits, log, random } = options
  const routes = [...healthRoutes(options.readiness), ...options.routes]
  const allowed = methodsByPath(routes.map(({ endpoint }) => endpoint))
  const closing = new AbortController()
  let inFlight = 0
  let baseUrl = options.publicUrl?.replace(/\/$/, '') ?? ''

  const app = fastify({
    logger: false,
    requestIdHeader: false,
    genReqId: () => newId(random, 'req'),
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestArrivesSeconds * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    connectionTimeout: limits.requestTimeoutSeconds * 1000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: limits.pathPartCharactersMax },
    // Node looks for late requests only this often; its own default is 30 s.
    http: { maxHeaderSize: limits.headerBytesMax, connectionsCheckingInterval: 1000 },
    frameworkErrors: (error, request, reply) => fail(translate(error), request, reply),
    clientErrorHandler: (error, socket) => refuseSocket(error, socket),
  })
  app.server.headersTimeout = limits.headersArriveSeconds * 1000
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, bytes, done) =>
    done(null, bytes),
  )
  app.decorateRequest('caller', undefined)
  app.decorateRequest('startedAtMilliseconds', 0)

  function describe(error: unknown, requestId: string): Problem {
    const nowMilliseconds = clock.nowMilliseconds()
    const { isUnavailable } = options
    return problem(error, { requestId, nowMilliseconds, baseUrl, isUnavailable })
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, headers, body, unforeseen } = describe(error, request.id)
    const facts = { requestId: request.id, method: request.method, status, err: error }
    if (unforeseen) log.error(facts, 'a request failed')
    else if (status >= 500) log.warn(facts, 'a request could not be served')
    return reply
      .code(status)
      .headers({ ...HEADERS, 'x-request-id': request.id, ...headers })
      .send(writeJson(body))
  }

  /** Bytes that are not HTTP, or come too slowly: there is no request to answer, only a socket. */
  function refuseSocket(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const requestId = newId(random, 'req')
    const { status, body } = describe(translate(error), requestId)
    const text = writeJson(body)
    const head = Object.entries({
      ...HEADERS,
      'x-request-id': requestId,
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    })
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.end(
      `HTTP/1.1 ${status} ${status === 413 ? 'Content Too Large' : 'Bad Request'}\r\n${lines}\r\n${text}`,
    )
  }

  app.setErrorHandler((error, request, reply) => fail(translate(error), request, reply))

  app.addHook('onRequest', async (request, reply) => {
    request.startedAtMilliseconds = clock.nowMilliseconds()
    inFlight += 1
    reply.raw.once('close', () => {
      inFlight -= 1
      log.debug(
        {
          requestId: request.id,
          method: request.method,
          route: request.routeOptions.url,
          status: reply.statusCode,
          milliseconds: clock.nowMilliseconds() - request.startedAtMilliseconds,
        },
        'answered',
      )
    })
    reply.headers({ ...HEADERS, 'x-request-id': request.id })
    if (closing.signal.aborted) reply.header('connection', 'close')
    if (request.is404) {
      const methods = allowed(request.url.split('?', 1)[0] ?? '')
      if (methods.length === 0) throw new Refusal('NOT_FOUND')
      reply.header('allow', methods.join(', '))
      throw new Refusal('METHOD_NOT_ALLOWED')
    }
  })
  app.setNotFoundHandler(() => {
    throw new Refusal('NOT_FOUND')
  })

  async function admit(endpoint: Endpoint, request: FastifyRequest): Promise<void> {
    if (endpoint.needs !== null) {
      const authorization = headerValues(request.raw.rawHeaders, 'authorization')
      request.caller = await options.authenticate(authorization)
      options.permit(request.caller, endpoint)
      if (closing.signal.aborted) {
        throw new Refusal('NETWORK_ERROR', { details: { service: 'stopping' } })
      }
    }
    if (endpoint.method !== 'GET') refuseForeignEncodings(request.headers)
  }

  for (const { endpoint, respond } of routes) {
    const { idempotent, method, path } = endpoint
    for (const spelling of spellings(path)) {
      app.route({
        method,
        url: spelling.replaceAll(/\{(\w+)\}/g, ':$1'),
        onRequest: (request) => admit(endpoint, request),
        handler: async (request, reply) => {
          const { status, headers, text } = await respond(
            {
              params: request.params,
              query: request.query,
              bytes: Buffer.isBuffer(request.body) ? request.body : undefined,
              caller: request.caller,
              requestId: request.id,
              idempotencyKey: idempotent ? readIdempotencyKey(request.raw.rawHeaders) : undefined,
              clientGone: () => goneSignal(reply),
              closing: closing.signal,
              nowMilliseconds: () => clock.nowMilliseconds(),
            },
            { checkAnswers: options.checkAnswers ?? false },
          )
          return reply.code(status).headers(headers).send(text)
        },
      })
    }
  }

  return {
    listen: async ({ host, port }) => {
      await app.listen({ host, port })
      const address = app.server.address()
      const taken = typeof address === 'object' && address !== null ? address.port : port
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`
      if (options.publicUrl === undefined) baseUrl = url
      return { url, port: taken }
    },
    close: async () => {
      closing.abort()
      const deadline = clock.nowMilliseconds() + limits.drainSeconds * 1000
      while (inFlight > 0 && clock.nowMilliseconds() < deadline) await clock.sleep(20)
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (reply.raw.destroyed) gone.abort()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}

const FOREIGN: Readonly<Record<string, () => Refusal>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Refusal('PAYLOAD_TOO_LARGE'),
  HPE_HEADER_OVERFLOW: () =>
    new Refusal('PAYLOAD_TOO_LARGE', {
      message: 'The headers are larger than this service reads.',
    }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Refusal('UNSUPPORTED_MEDIA_TYPE'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    invalid('body', 'is not as long as Content-Length says'),
  FST_ERR_BAD_URL: () => invalid('path', 'is not valid percent-encoding'),
  FST_ERR_MAX_PARAM_LENGTH: () => invalid('path', 'has a part that is too long'),
  ERR_HTTP_REQUEST_TIMEOUT: () => invalid('request', 'did not arrive in time'),
}

/** From the HTTP library's own errors to the catalogue; anything else stays what it is. */
function translate(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('HPE_') && !(code in FOREIGN)) return invalid('request', 'is not HTTP')
  return FOREIGN[code]?.() ?? error
}

function invalid(field: string, rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}
