import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '@florin/wire/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import { openFailures } from './failures.ts'
import { openNodeServers } from './node-server.ts'
import { refuseForeignForms } from './request-headers.ts'

/** A door that is open. */
export interface ScrapeDoor {
  readonly port: number
  stop(): Promise<void>
}

const HEADER_BYTES_MAX = 8 * 1024
const SOCKETS_MAX = 16
const REQUEST_SECONDS = 10

/**
 * Serves GET /metrics and nothing else, without a key, on a door of its own: whoever reaches it may read. What it refuses, and bytes that are
 * no request, it answers as the edge does. Rejects when the port is taken; port 0 takes any free one.
 */
export async function openScrapeDoor(options: {
  readonly host: string
  readonly port: number
  readonly log: Log
  readonly clock: Clock
  readonly random: Random
  /** Of the edge, where errors are explained. */
  baseUrl(): string
  read(): Promise<{ readonly contentType: string; readonly text: string }>
}): Promise<ScrapeDoor> {
  const { host, read } = options
  const failures = openFailures({
    ...options,
    isUnavailable: () => false,
    isProbe: () => false,
    onUnread: () => undefined,
  })
  const sockets = openNodeServers({
    limits: {
      ...limits,
      headerBytesMax: HEADER_BYTES_MAX,
      headersArriveSeconds: REQUEST_SECONDS,
      requestArrivesSeconds: REQUEST_SECONDS,
    },
  })
  const server = sockets.open((request, response) => {
    answer(request, response).catch((error: unknown) => failures.refuseRequest(error, response))
  })
  server.on('clientError', failures.refuseSocket)
  server.maxConnections = SOCKETS_MAX

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A body is nothing to us; what is not read would keep the connection busy.
    request.resume()
    refuseForeignForms(request)
    const path = request.url?.split('?', 1)[0]
    if (path !== '/metrics') {
      throw new Refusal('NOT_FOUND', { message: 'There is nothing here but GET /metrics.' })
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      throw new Refusal('METHOD_NOT_ALLOWED')
    }
    const { contentType, text } = await read()
    response
      .writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' })
      .end(request.method === 'HEAD' ? undefined : text)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port: options.port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    stop: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
