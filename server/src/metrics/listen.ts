import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../kernel/log.ts'
import type { MetricsText } from './metrics.ts'

export interface MetricsListener {
  readonly port: number
  stop(): Promise<void>
}

const HEADER_BYTES_MAX = 8 * 1024
const SOCKETS_MAX = 16
const REQUEST_SECONDS = 10

/**
 * Serves GET /metrics and nothing else, without a key, on a door of its own: whoever reaches it may read. Rejects when the port is
 * taken; port 0 takes any free one.
 */
export async function listenForScrapes(options: {
  readonly host: string
  readonly port: number
  readonly log: Log
  read(): Promise<MetricsText>
}): Promise<MetricsListener> {
  const { host, log, read } = options
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      requestTimeout: REQUEST_SECONDS * 1000,
      headersTimeout: REQUEST_SECONDS * 1000,
    },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        log.warn({ err: error }, 'metrics could not be read')
        response.writeHead(500).end()
      })
    },
  )
  server.maxConnections = SOCKETS_MAX

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A body is nothing to us; what is not read would keep the connection busy.
    request.resume()
    const path = request.url?.split('?', 1)[0]
    if (path !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
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
