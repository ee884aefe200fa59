import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Somebody's market service, on a free loopback port. */
export interface TestService {
  readonly url: string
  /** `POST /path` of each request so far. */
  readonly requests: readonly string[]
  /** Headers of the latest request. */
  headers(): IncomingMessage['headers']
  stop(): Promise<void>
}

export type Conduct = (
  request: { readonly path: string; readonly body: string },
  response: ServerResponse,
) => void | Promise<void>

/** A market service that does with each request what a test says. */
export async function startTestService(conduct: Conduct): Promise<TestService> {
  const requests: string[] = []
  let headers: IncomingMessage['headers'] = {}
  const server = createServer((request, response) => {
    headers = request.headers
    const path = request.url ?? ''
    requests.push(`${request.method ?? ''} ${path}`)
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8')
      void Promise.resolve(conduct({ path, body }, response)).catch(() => response.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    headers: () => headers,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Says JSON. */
export function say(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
