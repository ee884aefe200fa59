import type { IncomingMessage } from 'node:http'
import fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '@florin/wire/errors.ts'
import type { ErrorCode } from '@florin/wire/errors.ts'
import type { Caller, Person, Visitor } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { Limits, Mounting, Surroundings } from './surroundings.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import { openAnswered } from './answered.ts'
import type { Answered } from './answered.ts'
import { NO_PROXIES, clientOf } from './client-address.ts'
import type { Client, TrustedProxies } from './client-address.ts'
import { deprecationHeaders } from './deprecation-headers.ts'
import { openDrain, whenGone } from './drain.ts'
import { ANSWER_HEADERS, openFailures } from './failures.ts'
import type { Failures } from './failures.ts'
import type { FileTree } from './file-tree.ts'
import type { Gate } from './gate.ts'
import { healthRoutes } from './health.ts'
import type { NodesInUse, Readiness } from './health.ts'
import { invalidRequest } from './library-errors.ts'
import { CONNECTION_BACKLOG, openNodeServers } from './node-server.ts'
import type { NodeServers, TlsIdentity } from './node-server.ts'
import type { Page } from './page.ts'
import { methodsByPath, spellings } from './paths.ts'
import {
  headerValues,
  readIdempotencyKey,
  refuseForeignEncodings,
  refuseForeignForms,
} from './request-headers.ts'
import { Arriving, Received } from './received.ts'
import type { Incoming, Outgoing, Route } from './route.ts'
import { bodyRules, queryRules } from './rules.ts'
import { openPage } from './serve-page.ts'
import type { StreamRoute } from './stream.ts'
import { serveStream } from './stream.ts'
import { openUpgrades } from './upgrade.ts'
import type { SocketRoute } from './upgrade.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path of the operation or page, as its row spells it. */
    path?: string
  }
  interface FastifyRequest {
    caller: Caller | undefined
    person: Person | undefined
    /** Of the answer, when it is a refusal. */
    errorCode: ErrorCode | undefined
    /** Who asks, before anybody knows with which key. */
    client: Client | undefined
  }
}

export interface ServerOptions {
  readonly routes: readonly Route[]
  /** What can be read without a key beside the operations. */
  readonly pages?: readonly Page[]
  /** Files that a browser asks for. */
  readonly files?: FileTree
  /** Paths that are WebSockets. */
  readonly sockets?: readonly SocketRoute[]
  /** Operations whose answer goes on. */
  readonly streams?: readonly StreamRoute[]
  readonly gate: Gate
  readonly log: Log
  readonly clock: Clock
  readonly random: Random
  readonly readiness: Readiness
  readonly nodesInUse?: NodesInUse
  readonly limits: Limits
  isUnavailable(error: unknown): boolean
  /** Paths of operations that machines ask for all the time, beside the probes: logged at debug only. */
  readonly quietPaths?: readonly string[]
  /** Told of every request that is over. */
  readonly onAnswered?: (answered: Answered) => void
  /** The address that callers know; left out, the one that was listened on. */
  readonly publicUrl?: string
  /** Left out, plain HTTP. */
  readonly tls?: TlsIdentity
  /** Whose word about their clients is believed; left out, nobody's. */
  readonly trustedProxies?: TrustedProxies
  /** Check every answer against its row: for tests. */
  readonly checkAnswers?: boolean
}

export interface Server {
  /** Port 0 takes any free one. */
  listen(where: { host: string; port: number }): Promise<{ url: string; port: number }>
  /** Takes no new work, lets what is in flight finish within limits.drainSeconds, then ends every connection. */
  close(): Promise<void>
  /** Shows new connections another certificate; throws when it is unusable. For a server that was opened with one. */
  renewTls(tls: TlsIdentity): void
}

/** The edge: one HTTP server in front of the routes. Nothing above this room sees the HTTP library. */
export function openServer(options: ServerOptions): Server {
  const { clock, gate, limits, log } = options
  const probes = healthRoutes(options.readiness, log, options.nodesInUse)
  const routes = [...probes, ...options.routes]
  const pages = options.pages ?? []
  const streams = options.streams ?? []
  const drain = openDrain(clock)
  let baseUrl = options.publicUrl?.replace(/\/$/, '') ?? ''
  const onAnswered = options.onAnswered ?? (() => undefined)
  const failures = openFailures({
    ...options,
    baseUrl: () => baseUrl,
    isProbe: (path) => probes.some(({ endpoint }) => endpoint.path === path),
    onUnread: (status) => onAnswered({ route: null, method: '', status, milliseconds: 0 }),
  })
  const trusted = options.trustedProxies ?? NO_PROXIES
  const clientOfRequest = ({ rawHeaders, socket }: IncomingMessage) =>
    clientOf(
      {
        peer: socket.remoteAddress,
        isEncrypted: options.tls !== undefined,
        forwardedFor: headerValues(rawHeaders, 'x-forwarded-for'),
        forwardedProto: headerValues(rawHeaders, 'x-forwarded-proto'),
      },
      trusted,
    )
  const upgrades = openUpgrades({
    routes: options.sockets ?? [],
    clientOf: clientOfRequest,
    refuse: failures.refuseUpgrade,
    closing: drain.closing,
  })
  const sockets = openNodeServers({ limits, tls: options.tls, isUpgrade: upgrades.isOurs })
  const app = openLibrary(limits, options.random, failures, sockets)
  app.server.on('upgrade', upgrades.accept)

  const allowed = methodsByPath([
    ...routes.map(({ endpoint }) => endpoint),
    ...streams.map(({ endpoint }) => endpoint),
    ...pages.map(({ path }) => ({ method: 'GET' as const, path })),
  ])
  const quietPaths = new Set([
    ...probes.map(({ endpoint }) => endpoint.path),
    ...(options.quietPaths ?? []),
  ])
  const note = openAnswered({
    log,
    isQuiet: (path) => quietPaths.has(path),
    onAnswered,
  })
  // Not a promise: nothing here waits, and every request comes by.
  app.addHook('onRequest', (request, reply, done) => {
    const startedAtMilliseconds = clock.nowMilliseconds()
    drain.enter(reply.raw, () => {
      note(request, reply, clock.nowMilliseconds() - startedAtMilliseconds)
    })
    reply.headers({ ...ANSWER_HEADERS, 'x-request-id': request.id })
    request.client = clientOfRequest(request.raw)
    if (request.client.protocol === 'https') reply.headers(ONLY_ENCRYPTED)
    if (drain.closing.aborted) reply.header('connection', 'close')
    refuseForeignForms(request.raw)
    const path = request.url.split('?', 1)[0] ?? ''
    if (path.includes('%00')) throw invalidRequest('path', 'must not have a NUL character')
    if (!request.is404) {
      done()
      return
    }
    gate.admitStranger(request.client.address)
    const methods = allowed(path)
    if (methods.length === 0) throw upgrades.standsAt(path) ? onlySocket() : noEndpoint()
    reply.header('allow', methods.join(', '))
    throw new Refusal('METHOD_NOT_ALLOWED')
  })

  const tools = {
    bodyRules: bodyRules(),
    queryRules: queryRules(),
    clock,
    checkAnswers: options.checkAnswers ?? false,
  }
  const isProbe = ({ endpoint }: Route) => probes.some((probe) => probe.endpoint === endpoint)
  const stopping = { closing: drain.closing, over: drain.over }
  const around = { gate, limits, baseUrl: () => baseUrl, ...stopping }
  for (const route of routes) {
    mount(app, route, route.open(tools), { ...around, isProbe: isProbe(route) })
  }
  for (const page of pages) mountPage(app, page, around)
  for (const { endpoint, open } of streams) {
    mountStream(app, endpoint, open(tools.queryRules), around)
  }
  if (options.files !== undefined) mountFiles(app, options.files, gate)

  return {
    listen: async ({ host, port }) => {
      await app.listen({ host, port, backlog: CONNECTION_BACKLOG })
      const address = app.server.address()
      const taken = typeof address === 'object' && address !== null ? address.port : port
      const scheme = options.tls === undefined ? 'http' : 'https'
      const url = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${taken}`
      if (options.publicUrl === undefined) baseUrl = url
      return { url, port: taken }
    },
    close: async () => {
      const drained = drain.finish(limits.drainSeconds)
      upgrades.closeAll()
      await drained
      upgrades.destroyAll()
      app.server.closeAllConnections()
      await app.close()
    },
    renewTls: (tls) => sockets.renew(tls),
  }
}

/** Asks clients never to come without TLS again. Source: RFC 6797; a year, as its section 14.6 weighs. */
const ONLY_ENCRYPTED = { 'strict-transport-security': 'max-age=31536000' }

/** What a mounted route or page stands in. */
function openLibrary(
  limits: Limits,
  random: Random,
  failures: Failures,
  sockets: NodeServers,
): FastifyInstance {
  const app = fastify({
    logger: false,
    requestIdHeader: false,
    genReqId: () => newId(random, 'req'),
    bodyLimit: limits.bodyBytesMax,
    serverFactory: (handler) => sockets.open(handler),
    return503OnClosing: false,
    routerOptions: { maxParamLength: limits.pathPartCharactersMax },
    frameworkErrors: failures.refuseUrl,
    clientErrorHandler: failures.refuseSocket,
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, bytes, done) =>
    done(null, bytes),
  )
  app.decorateRequest('caller', undefined)
  app.decorateRequest('person', undefined)
  app.decorateRequest('errorCode', undefined)
  app.decorateRequest('client', undefined)
  app.setErrorHandler(failures.answer)
  // The first hook has refused by now; the library only wants to be told that nothing else answers.
  app.setNotFoundHandler(() => {
    throw noEndpoint()
  })
  return app
}

function mount(
  app: FastifyInstance,
  { endpoint }: Route,
  respond: (incoming: Incoming) => Promise<Outgoing>,
  { gate, limits, baseUrl, closing, over, isProbe }: Mounting,
): void {
  const { deprecated, idempotent, longBody, method, needs, path } = endpoint
  const bodyLimit = longBody ? limits.longBodyBytesMax : limits.bodyBytesMax
  const goOn = (request: FastifyRequest, who: Caller | Visitor) => {
    know(request, who)
    if (closing.aborted) throw new Refusal('NETWORK_ERROR', { details: { service: 'stopping' } })
    if (method !== 'GET') refuseForeignEncodings(request.headers)
  }
  // Not a promise where who asks is known.
  const admit = (
    request: FastifyRequest,
    reply: FastifyReply,
    done: () => void,
  ): void | Promise<void> => {
    // Before anything can fail, so that errors carry them too.
    if (deprecated !== undefined) reply.headers(deprecationHeaders(deprecated, baseUrl()))
    if (needs === null) {
      // A load balancer that asks often must not be told that the service is gone.
      if (!isProbe) gate.admitStranger(addressOf(request))
      if (method !== 'GET') refuseForeignEncodings(request.headers)
      done()
      return undefined
    }
    const who = gate.admit(new Arriving(request, reply, endpoint))
    // Then the library waits for it instead.
    if (who instanceof Promise) return who.then((known) => goOn(request, known))
    goOn(request, who)
    done()
    return undefined
  }
  const demandAdmitted = async (request: FastifyRequest, reply: FastifyReply) => {
    const who = await gate.admitAgain(new Arriving(request, reply, endpoint))
    if (who.accountId !== request.caller?.accountId) throw new Refusal('FORBIDDEN')
  }
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const idempotencyKey = idempotent ? readIdempotencyKey(request.raw.rawHeaders) : undefined
    const { status, headers, text, undelivered } = await respond(
      new Received(request, reply, idempotencyKey, closing, over, demandAdmitted),
    )
    if (undelivered !== undefined) whenGone(reply.raw, undelivered)
    return reply.code(status).headers(headers).send(text)
  }
  for (const spelling of spellings(path)) {
    const url = spelling.replaceAll(/\{(\w+)\}/g, ':$1')
    app.route({ method, url, config: { path }, bodyLimit, onRequest: admit, handler })
  }
}

function mountStream(
  app: FastifyInstance,
  endpoint: StreamRoute['endpoint'],
  begin: ReturnType<StreamRoute['open']>,
  { gate, closing }: Surroundings,
): void {
  const { path } = endpoint
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    know(request, await gate.admit(new Arriving(request, reply, endpoint)))
    if (closing.aborted) throw new Refusal('NETWORK_ERROR', { details: { service: 'stopping' } })
  }
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { caller } = request
    if (caller === undefined) throw new Error('a stream without a caller')
    const take = await begin({ caller, query: request.query, headers: request.headers })
    const { headers, body } = serveStream(take, closing)
    return reply.code(200).headers(headers).send(body)
  }
  for (const url of spellings(path)) {
    app.route({ method: 'GET', url, config: { path }, onRequest, handler, exposeHeadRoute: false })
  }
}

/** Of an address that nothing stands at: not to be taken for an id that nobody has. */
function noEndpoint(): Refusal {
  return new Refusal('NOT_FOUND', {
    message:
      'There is no endpoint at this path. GET /openapi.json lists those there are; none has a slash at its end or a capital letter in its fixed parts.',
  })
}

/** What a proxy makes of a WebSocket when it does not pass the upgrade on looks like any other request. */
function onlySocket(): Refusal {
  return new Refusal('NOT_FOUND', {
    message:
      'Only a WebSocket is at this path, and what arrived asks for none: a proxy between has to pass Upgrade on. Without one, read GET /events or GET /events/stream.',
  })
}

function know(request: FastifyRequest, who: Caller | Visitor): void {
  request.caller = who.accountId === undefined ? undefined : who
  request.person = who.person
}

function addressOf({ client }: FastifyRequest): string {
  return client?.address ?? ''
}

function mountPage(
  app: FastifyInstance,
  page: Page,
  { gate, baseUrl }: Pick<Surroundings, 'gate' | 'baseUrl'>,
): void {
  const serve = openPage(page, baseUrl)
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, bytes } = await serve(
      headerValues(request.raw.rawHeaders, 'if-none-match'),
    )
    return reply.code(status).headers(headers).send(bytes)
  }
  const onRequest = async (request: FastifyRequest) => {
    gate.admitStranger(addressOf(request))
  }
  const config = { path: page.path }
  for (const url of spellings(page.path)) {
    app.route({ method: 'GET', url, config, onRequest, handler })
  }
}

function mountFiles(app: FastifyInstance, { paths, read }: FileTree, gate: Gate): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { rawHeaders } = request.raw
    const { status, headers, bytes } = await read({
      path: request.url.split('?', 1)[0] ?? '',
      accept: headerValues(rawHeaders, 'accept'),
      acceptEncoding: headerValues(rawHeaders, 'accept-encoding'),
      ifNoneMatch: headerValues(rawHeaders, 'if-none-match'),
    })
    return reply.code(status).headers(headers).send(bytes)
  }
  const onRequest = async (request: FastifyRequest) => {
    gate.admitFileReader(addressOf(request))
  }
  for (const url of paths) {
    app.route({ method: 'GET', url, config: { path: url }, onRequest, handler })
  }
}
