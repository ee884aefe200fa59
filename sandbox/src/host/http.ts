import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anyPort } from './any-port.ts'
import { Complaint } from './complaint.ts'
import type { Json } from './json.ts'

const HOST = '127.0.0.1'
const ANY_PORT_TRIES_MAX = 20

/** Reads a body of at most `bytesMax`; undefined when it is larger (the rest is read and thrown away). */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue
    size += part.length
    if (size <= bytesMax) parts.push(part)
    else parts.length = 0
  }
  return size > bytesMax ? undefined : Buffer.concat(parts)
}

export function sendJson(response: ServerResponse, status: number, body: Json): void {
  if (response.destroyed || response.headersSent) return
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** A server whose every handler failure is an answer of 500, never an unhandled rejection. */
export function httpServer(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  log: (line: string) => void,
): Server {
  return createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (request.aborted || response.destroyed) return
      log(`a request failed: ${error instanceof Error ? error.message : String(error)}`)
      sendJson(response, 500, { success: false, error: { code: 'INTERNAL_ERROR' } })
    })
  })
}

/**
 * Listens on loopback. `fixed` must be free (else a Complaint); `remembered` is taken when free, any port otherwise.
 */
export async function listenOn(
  server: Server,
  port: { readonly fixed?: number; readonly remembered?: number },
): Promise<number> {
  if (port.fixed !== undefined) {
    if (await tryListen(server, port.fixed)) return port.fixed
    throw new Complaint(`port ${port.fixed} is in use; choose another one or 0 for any.`)
  }
  if (port.remembered !== undefined && (await tryListen(server, port.remembered))) {
    return port.remembered
  }
  for (let tries = 0; tries < ANY_PORT_TRIES_MAX; tries += 1) {
    const candidate = anyPort()
    if (await tryListen(server, candidate)) return candidate
  }
  await tryListen(server, 0)
  return addressOf(server).port
}

function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address
}

async function tryListen(server: Server, port: number): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    }
    server.once('error', failed)
    server.listen(port, HOST, () => {
      server.off('error', failed)
      resolve(true)
    })
  })
}

/** Ends a server and every connection it holds. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeAllConnections()
  await closed
}
